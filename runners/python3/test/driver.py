"""Stands in for the local engine's warm worker: reads and writes lines of JSON; the handler's own output goes to stderr."""

import json
import os
import sys

replies = sys.stdout
sys.stdout = sys.stderr
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True

import handler

while line := sys.stdin.readline():
    replies.write(json.dumps(handler.handler(json.loads(line))) + "\n")
    replies.flush()
