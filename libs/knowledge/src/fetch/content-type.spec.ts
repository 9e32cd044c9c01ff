import { expect, it } from '@jest/globals';
import { pageType } from './content-type.js';

const at = (path: string): URL => new URL(path, 'https://example.com/');

it.each([
  ['text/html; charset=utf-8', '/', { type: 'html', charset: 'utf-8' }],
  ['TEXT/HTML;Charset="ISO-8859-2"', '/a.pdf', { type: 'html', charset: 'ISO-8859-2' }],
  ['application/xhtml+xml', '/', { type: 'html' }],
  ['text/plain', '/robots.txt', { type: 'txt' }],
  ['text/plain; charset=utf-8', '/main/README.md', { type: 'md', charset: 'utf-8' }],
  ['text/plain', '/prices.csv?raw=1', { type: 'csv' }],
  ['text/markdown', '/x', { type: 'md' }],
  ['text/csv', '/x', { type: 'csv' }],
  ['application/pdf', '/x', { type: 'pdf' }],
  ['application/msword', '/x', { type: 'doc' }],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '/x', { type: 'docx' }],
  ['application/octet-stream', '/manual.PDF', { type: 'pdf' }],
  [undefined, '/index.htm', { type: 'html' }],
  ['text/html; charset=<script>', '/', { type: 'html' }],
])('%s at %s is %j', (header, path, expected) => expect(pageType(header, at(path))).toEqual(expected));

it.each([
  ['image/png', '/logo.png'],
  ['application/json', '/api'],
  ['application/xml', '/feed.xml'],
  ['application/octet-stream', '/setup.exe'],
  [undefined, '/'],
  ['constructor', '/'],
])('%s at %s cannot be read', (header, path) =>
  expect(() => pageType(header, at(path))).toThrow('neither a page nor a document'),
);
