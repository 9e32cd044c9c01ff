import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROW = /^\| `(\w+)` \|(.*)\|$/gm;

/** The scopes of each role as docs/sign-in.md lists them: a role has those of its row and of the rows above. */
export function roleScopes(): Record<string, string[]> {
  const text = readFileSync(join(process.cwd(), 'docs/sign-in.md'), 'utf8');
  const table = text.slice(text.indexOf('| Role |'));
  let scopes: string[] = [];
  const rows = [...table.matchAll(ROW)].map(([, role = '', cell = '']) => {
    scopes = [...scopes, ...[...cell.matchAll(/`(\w+:\w+)`/g)].map(([, scope = '']) => scope)].toSorted();
    return [role, scopes] as const;
  });
  return Object.fromEntries(rows);
}
