export function npmCommand(env: NodeJS.ProcessEnv, execPath: string): { file: string; args: string[] };
