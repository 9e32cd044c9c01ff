import type { ApiPath } from './api-path.js';
import { urlOf } from './api.js';

/** A request as a command to paste; `$TOKEN` stands for the token, which belongs on no screen. */
export function curl(method: string, path: ApiPath, body?: object): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${urlOf(path).href}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`] : []),
  ];
  return lines.join(' \\\n  ');
}

export function curlUpload(path: ApiPath, title: string, file: string): string {
  return [
    `curl ${urlOf(path).href}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-F title='${title}' -F source_type=file -F file=@${file}`,
  ].join(' \\\n  ');
}
