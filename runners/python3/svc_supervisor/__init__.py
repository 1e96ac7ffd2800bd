"""The side of the runner that user code never reaches: artefacts, hosts, logs, beats, results."""
