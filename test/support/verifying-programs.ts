import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocks } from './page-code.js';

/** A language of docs/webhook-signatures.md, and a program that calls its `verify` for each case of standard input. */
export interface VerifyingLanguage {
  name: string;
  /** Language of the code block. */
  block: string;
  file: string;
  command: string;
  args: string[];
}

export const LANGUAGES: VerifyingLanguage[] = [
  {
    name: 'Node.js',
    block: 'js',
    file: 'verify.mjs',
    command: process.execPath,
    args: [
      '--input-type=module',
      '--eval',
      `import { readFileSync } from 'node:fs';
       const { verify } = await import(process.cwd() + '/verify.mjs');
       const ask = ({ body, headers, secrets }) => {
         try { return verify(Buffer.from(body, 'base64'), headers, secrets); } catch (error) { return error.message; }
       };
       console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(ask)));`,
    ],
  },
  {
    name: 'Python',
    block: 'python',
    file: 'verify.py',
    command: 'python3',
    args: [
      '-c',
      `import base64, json, sys
from verify import verify
def ask(case):
    try: return verify(base64.b64decode(case["body"]), case["headers"], case["secrets"])
    except ValueError as error: return str(error)
print(json.dumps([ask(case) for case in json.load(sys.stdin)]))`,
    ],
  },
  {
    name: 'PHP',
    block: 'php',
    file: 'verify.php',
    command: 'php',
    args: [
      '-d',
      'display_errors=stderr',
      '-r',
      `require getcwd() . '/verify.php';
       $ask = function ($case) {
         try { return verify(base64_decode($case['body']), $case['headers'], $case['secrets']); }
         catch (InvalidArgumentException $error) { return $error->getMessage(); }
       };
       echo json_encode(array_map($ask, json_decode(stream_get_contents(STDIN), true)));`,
    ],
  },
];

export interface VerifyCase {
  body: string;
  headers: Record<string, string>;
  secrets: string[];
}

/** The result of the page's `verify` for each case: true, false, or the message of its exception. Throws when the program fails. */
export async function verdicts(
  { block, file, command, args }: VerifyingLanguage,
  cases: readonly VerifyCase[],
  folder: string,
): Promise<unknown[]> {
  const [code = '', ...others] = codeBlocks('docs/webhook-signatures.md', block);
  if (others.length > 0) throw new Error(`The page has more than one block of ${block}.`);
  await writeFile(join(folder, file), code);
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, NODE_OPTIONS: '' } });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => (output[name] += chunk.toString()));
  child.stdin.end(JSON.stringify(cases.map((one) => ({ ...one, body: Buffer.from(one.body).toString('base64') }))));
  await once(child, 'close');
  if (output.stderr !== '' || child.exitCode !== 0) throw new Error(`${command} said:\n${output.stderr}`);
  return JSON.parse(output.stdout) as unknown[];
}
