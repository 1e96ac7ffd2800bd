"""Runs LocalStack's Step Functions in front of another engine, without Docker.

The free release runs Lambda functions in containers alone. Here tasks invoke the functions of the other engine (`TASKS_ENDPOINT`), and
changes of an execution's status go to that engine's event bus. Without `TASKS_ENDPOINT`, LocalStack runs as it is.
"""

import os

from localstack.runtime.main import main


def client(service, endpoint, region):
    import boto3
    from botocore.config import Config

    # The client of the other engine may not repeat a call: a task decides on its retries itself.
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1}, read_timeout=900)
    return boto3.client(
        service, endpoint_url=endpoint, region_name=region, aws_access_key_id="test", aws_secret_access_key="test", config=config
    )


def send_tasks_to(endpoint):
    # Modules import this function by name, so it is replaced before they are loaded.
    from localstack.services.stepfunctions.asl.utils import boto_client

    boto_client.boto_client_for = lambda service, region, state_credentials: client(service, endpoint, region)

    from localstack.services.stepfunctions.backend.execution import Execution

    Execution._get_events_client = lambda self: client("events", endpoint, self.region_name)


if "TASKS_ENDPOINT" in os.environ:
    send_tasks_to(os.environ["TASKS_ENDPOINT"])
main()
