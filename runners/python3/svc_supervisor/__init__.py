"""The part of the runner that user code cannot reach: artefacts, hosts, logs, beats, results."""
