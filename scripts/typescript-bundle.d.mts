export function bundleOf(entry: string): Promise<string>;
export function importTypeScript(entry: string): Promise<unknown>;
