"""What runs beside the user's code: a waiting interpreter that forks for every run. Imports nothing of the supervisor's."""
