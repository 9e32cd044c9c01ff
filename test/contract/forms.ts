import type { Operation } from '../support/api-document.js';
import type { StoredRequest } from './exchange.js';

type Cases = (readonly [string, Partial<StoredRequest>])[];
type Headers = Record<string, string>;

const BOUNDARY = 'edge';
const END = `--${BOUNDARY}--\r\n`;
const part = (name: string, value: string, more = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const file = (value: string, fileName: string, name = 'file'): string => part(name, value, `; filename="${fileName}"`);

/** Forms with a file: parts that are missing, repeated, misnamed or wrong, and forms that are not forms. */
export function wrongForms({ bodies, path }: Operation, { authorization = '' }: Headers): Cases {
  if (!('multipart/form-data' in bodies)) return [];
  const fields = path.endsWith('/import') ? contactForms() : documentForms();
  const sent = (type: string, body: string) => ({ headers: { authorization, 'content-type': type }, body });
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  return [
    ...fields.map(([what, parts]) => [`form: ${what}`, sent(type, parts + END)] as const),
    ['form: empty', sent(type, END)],
    ['form: no parts at all', sent(type, '')],
    ['form: no boundary', sent('multipart/form-data', END)],
    ['form: another boundary', sent('multipart/form-data; boundary=other', file('x', 'a.txt') + END)],
    ['form: cut off', sent(type, file('x', 'a.txt').slice(0, -4))],
    ['form: no end', sent(type, file('x', 'a.txt'))],
    ['form: no name', sent(type, `--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n${END}`)],
    ['form: broken headers', sent(type, `--${BOUNDARY}\r\nnothing\r\n\r\nx\r\n${END}`)],
    ['form: urlencoded', sent('application/x-www-form-urlencoded', 'title=a&source_type=file')],
    ['form: text', sent('text/plain', 'a')],
    ['form: no content-type', { headers: { authorization }, body: 'a' }],
    ['form: nothing', { headers: { authorization }, body: undefined }],
  ];
}

function documentForms(): [string, string][] {
  const title = part('title', 'A file');
  const type = part('source_type', 'file');
  const text = file('Some text.', 'a.txt');
  const named = ['a.exe', 'a', '.txt', 'a.txt.exe', 'a.pdf', 'a.docx', 'a.doc', '../a.zip', 'a.html', 'ä.xyz'];
  return [
    ['no file', title + type],
    ['no title', type + text],
    ['no source_type', title + text],
    ['source_type text', title + part('source_type', 'text') + text],
    ['source_type url', title + part('source_type', 'url') + text],
    ['source_type x', title + part('source_type', 'x') + text],
    ['an empty title', part('title', '') + type + text],
    ['a blank title', part('title', '   ') + type + text],
    ['a long title', part('title', '{{repeat:x:256}}') + type + text],
    ['a title with a null character', part('title', 'a\u0000b') + type + text],
    ['two titles', title + title + type + text],
    ['a title with a key', part('title[a]', 'x') + type + text],
    ['the file as a field', title + type + part('file', 'Some text.')],
    ['a file of another name', title + type + file('x', 'a.txt', 'other')],
    ['two files', title + type + text + text],
    ['an empty file', title + type + file('', 'a.txt')],
    ['a file without a name', title + type + part('file', 'x', '; filename=""')],
    ['agent_ids x', title + type + part('agent_ids', 'x') + text],
    ['agent_ids of another account', title + type + part('agent_ids', '{{other.agent}}') + text],
    ['agent_ids twice', title + type + part('agent_ids', '0') + part('agent_ids', '-1') + text],
    ['agent_ids empty', title + type + part('agent_ids', '') + text],
    ['a long name of a field', title + type + part('{{repeat:x:300}}', 'x') + text],
    ['a long value of a field', part('title', '{{repeat:x:1100000}}') + type + text],
    ['a thousand fields', title + type + `{{repeat:${part('x', 'y')}:1000}}` + text],
    ['a file of more than 10 MB', title + type + file('{{repeat:x:10485761}}', 'a.txt')],
    ...named.map((name): [string, string] => [`a file ${name}`, title + type + file('Not what the name says.', name)]),
  ];
}

function contactForms(): [string, string][] {
  const rows = file('to_number\n+15550002222\n', 'contacts.csv');
  const tables = [
    '',
    '\n',
    'name\nAda\n',
    'to_number,to_number\n+15550002222,+15550002222\n',
    '"to_number\n+1',
    ',,,\n',
    '\u0000\u0000',
    'to_number',
  ];
  const columns = [
    'x',
    '[]',
    'null',
    '7',
    '{',
    '{"to_number":"x"}',
    '{"to_number":7}',
    '{"other":"to_number"}',
    '{"to_number":null}',
    '{"to_number":"metadata."}',
  ];
  return [
    ['no file', part('duplicates', 'merge')],
    ['the file as a field', part('file', 'to_number\n')],
    ['a file of another name', file('to_number\n', 'a.csv', 'other')],
    ['two files', rows + rows],
    ['a field after the file', rows + part('duplicates', 'x')],
    ...['x', '', 'MERGE'].map((value): [string, string] => [`duplicates ${value}`, part('duplicates', value) + rows]),
    ...['x', 'utf-99', '', '{{repeat:x:41}}'].map((value): [string, string] => [
      `encoding ${value}`,
      part('encoding', value) + rows,
    ]),
    ...columns.map((value): [string, string] => [`columns ${value}`, part('columns', value) + rows]),
    ['long columns', part('columns', '{{repeat:x:20001}}') + rows],
    ...tables.map((value): [string, string] => [`a file of ${JSON.stringify(value)}`, file(value, 'contacts.csv')]),
    ...['a.xlsx', 'a', 'a.exe'].map((name): [string, string] => [`a file ${name}`, file('to_number\n+1', name)]),
  ];
}

/** Tables of numbers in a body of their own. */
export function wrongTables({ bodies }: Operation, { authorization = '' }: Headers): Cases {
  if (!('text/csv' in bodies)) return [];
  const csv = (what: string, body: string, type = 'text/csv') =>
    [`table: ${what}`, { headers: { authorization, 'content-type': type }, body }] as const;
  const tables = [
    '',
    '\n',
    'reason\nx\n',
    'number\nx\n',
    'number\n+1\n',
    'number,number\n+15550002222,+1\n',
    '"',
    ',,,\n',
    'number\n"+1555',
    'number\n+1900*x\n',
  ];
  const dates = [
    'number,expires_at\n+15550002222,yesterday\n',
    'number,expires_at\n+15550002222,2001-01-01\n',
    'number\n+15550002222,x,y\n',
  ];
  return [
    ...[...tables, ...dates].map((body) => csv(JSON.stringify(body), body)),
    csv('300 wrong rows', 'number\n{{repeat:x\n:300}}'),
    csv('a long reason', 'number,reason\n+15550002222,{{repeat:x:3000}}\n'),
    csv('a null character', 'number\n+1555000\u00002222\n'),
    csv('as JSON', '{"number":"+15550002222"}', 'application/json'),
    csv('as text', 'number\n+15550002222\n', 'text/plain'),
    csv('no type', 'number\n+15550002222\n', ''),
    csv('latin1', 'number,reason\n+15550002222,é\n', 'text/csv; charset=klingon'),
    ['table: nothing', { headers: { authorization }, body: undefined }],
  ];
}
