/** The memory of the functions that runs use, in MB: a part of the price of a run. That of runners is a setting of the deployment. */
export const memoryMb = { run: 1024, worker: 512, step: 512, builder: 3008 } as const;
