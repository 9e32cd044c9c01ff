import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'libs/common/src/environment';

/** The variables that processes read (libs/common/src/environment/*env.ts), including those of third-party libraries. */
export function envNames(): Set<string> {
  const files = readdirSync(FOLDER).filter((name) => /(?:^|-)env\.ts$/.test(name));
  const names = files.flatMap((name) =>
    [...readFileSync(`${FOLDER}/${name}`, 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1] ?? ''),
  );
  return new Set([...names, 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS']);
}
