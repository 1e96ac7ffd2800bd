#requirements:
#humanize==4.13.0

from collections import Counter

import humanize


def main(text: str = "to be or not to be", top: int = 3):
    words = text.lower().split()
    print(f"counting {humanize.intcomma(len(words))} words")
    return {"words": len(words), "most_common": Counter(words).most_common(top)}
