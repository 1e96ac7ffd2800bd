"""The output of one run: decoded, cut at the limit, and buffered until a beat or the outcome carries it."""

import codecs
import threading

LOG_CUT_MARKER = "\n[svc] The log was cut here: it reached the limit of {limit} MB.\n"


def utf16_units(text):
    """Returns the length in UTF-16 units: a character beyond the basic plane counts as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Log:
    """A log that one thread fills and another empties. Offsets are UTF-16 units from the run's first character."""

    def __init__(self, max_bytes):
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._left = max_bytes
        self._marker = LOG_CUT_MARKER.format(limit=f"{max_bytes / 1024 / 1024:.2f}".rstrip("0").rstrip("."))
        self._cut = False
        self._parts = []
        self._offset = 0
        self._units = 0
        self._guard = threading.Lock()

    def feed(self, data):
        """Takes a chunk of output. Past the limit it is dropped, so that a full pipe never blocks the script."""
        if self._cut:
            return
        if len(data) <= self._left:
            self._left -= len(data)
            self._add(self._decoder.decode(data))
            return
        # An incomplete character at the cut is dropped before the marker.
        self._add(self._decoder.decode(data[: self._left]) + self._marker)
        self._cut = True

    def close(self):
        """Ends the output: an incomplete character becomes U+FFFD."""
        if not self._cut:
            self._add(self._decoder.decode(b"", final=True))

    @property
    def units(self):
        """The number of units that no beat has acknowledged."""
        return self._units

    def peek(self, max_chars=None):
        """Returns `{offset, text}` of the unacknowledged output, from its beginning."""
        with self._guard:
            text = "".join(self._parts)
            self._parts = [text]
            return {"offset": self._offset, "text": text[:max_chars]}

    def acknowledge(self, logs):
        """Removes output that the internal route has stored, given as `{offset, text}`."""
        with self._guard:
            text = "".join(self._parts)
            units = utf16_units(logs["text"])
            self._parts = [text[len(logs["text"]) :]]
            self._offset += units
            self._units -= units

    def _add(self, text):
        if text:
            with self._guard:
                self._parts.append(text)
                self._units += utf16_units(text)
