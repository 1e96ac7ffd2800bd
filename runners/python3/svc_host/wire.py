"""Frames between supervisor and host: four bytes of length, then JSON. File descriptors are attached to the length."""

import json
import os
import socket
import struct

_LENGTH = struct.Struct(">I")


class Closed(Exception):
    """The other side has closed the connection."""


def send(sock, message, fds=()):
    """Sends one message, with copies of `fds`. Raises Closed if the other side has closed the socket."""
    body = json.dumps(message).encode()
    frame = _LENGTH.pack(len(body)) + body
    try:
        sent = socket.send_fds(sock, [frame], list(fds)) if fds else 0
        if sent < len(frame):
            sock.sendall(memoryview(frame)[sent:])
    except OSError as error:
        raise Closed(str(error)) from error


def receive(sock, max_fds=0, max_bytes=1 << 31):
    """Returns the next message and its descriptors, which the caller owns.

    Raises Closed at the end of the stream, for an invalid frame, and if the socket's time limit passes within a frame.
    """
    fds = []
    try:
        if max_fds:
            header, fds, _, _ = socket.recv_fds(sock, _LENGTH.size, max_fds)
            # A received descriptor would otherwise be inherited by every program that this process starts.
            for fd in fds:
                os.set_inheritable(fd, False)
        else:
            header = sock.recv(_LENGTH.size)
        if not header:
            raise Closed("end of stream")
        header += _exactly(sock, _LENGTH.size - len(header))
        size = _LENGTH.unpack(header)[0]
        if size > max_bytes:
            raise Closed("not a frame")
        return json.loads(_exactly(sock, size)), fds
    except (OSError, ValueError) as error:
        raise Closed(str(error)) from error


def _exactly(sock, count):
    parts = []
    while count > 0:
        part = sock.recv(min(count, 1 << 20))
        if not part:
            raise Closed("end of stream")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
