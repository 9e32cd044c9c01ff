export function needsInstall(root: string): boolean;
export function isBorrowed(root: string): boolean;
export function markInstalled(root: string): void;
export function buildHash(root: string): string;
export function needsBuild(root: string, hash?: string): boolean;
export function markBuilt(root: string, hash: string): void;
