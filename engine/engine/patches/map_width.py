"""Lets a Map state take the number of iterations that run at once from its input, as AWS does (`MaxConcurrencyPath`).

Needed until the engine reads MaxConcurrencyPath. No issue of MiniStack asks for it.
Test: engine/engine/checks/map_width.py
"""


def take_width_from_input(stepfunctions):
    run = stepfunctions._run_map_items

    def run_with_width(state_def, raw_input, execution, ctx):
        path = state_def.get("MaxConcurrencyPath")
        if path is None:
            return run(state_def, raw_input, execution, ctx)
        width = stepfunctions._resolve_path_or_ctx(path, stepfunctions._apply_input_path(state_def, raw_input, ctx), ctx)
        if isinstance(width, bool) or not isinstance(width, int) or width < 0:
            raise stepfunctions._ExecutionError("States.Runtime", f"The value of MaxConcurrencyPath {path} is not a whole number: {width}")
        return run({**state_def, "MaxConcurrency": width}, raw_input, execution, ctx)

    stepfunctions._run_map_items = run_with_width
