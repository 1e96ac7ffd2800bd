"""The script that a fork runs to warm up. It resembles most scripts."""

from datetime import datetime
from typing import Optional


def main(name: str, when: Optional[datetime] = None, limit: int = 10):
    return {"name": name, "items": [1, 2.5, None, True][:limit]}
