"""The process that runs user code: a waiting interpreter that forks for every run. It imports nothing of the supervisor."""
