import { readFileSync } from 'node:fs';

/** The release in package.json. */
export const VERSION = versionAbove(new URL('.', import.meta.url));

/** The compiled code is one folder deeper than its source, so the search goes upwards. */
function versionAbove(folder: URL): string {
  try {
    const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string };
    return version;
  } catch (error) {
    const parent = new URL('..', folder);
    if (parent.href === folder.href) throw error;
    return versionAbove(parent);
  }
}
