export function withLock<T>(file: string, work: () => Promise<T>, onWait?: (pid: number) => void): Promise<T>;
export function isAlive(pid: number): boolean;
