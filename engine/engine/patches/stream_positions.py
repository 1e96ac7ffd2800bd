"""Lets functions read a table's stream after a restart.

The engine stores how far each function has read a stream, but not the stream, which begins at 0 with every start. Without this patch, a
function reads nothing until the stream is as long as before the restart.

Needed until the engine restores no positions of streams that it does not store. No issue of MiniStack asks for it. Issue 889 was a similar
fault of queues.
Test: engine/engine/checks/effects.py
"""


def begin_streams_at_zero(lambda_svc):
    restore = lambda_svc._restore_esm_positions

    def restored(store, positions):
        restore(store, positions)
        if store is lambda_svc._dynamodb_stream_positions:
            for key in list(store._data):
                store._data[key] = 0

    lambda_svc._restore_esm_positions = restored
