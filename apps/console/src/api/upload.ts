import { ApiError, authorization, refused, reportIgnored, urlOf } from './client.js';
import type { ApiPath } from './path.js';

/**
 * Sends a form, or a CSV file as the body, and reports the progress of the upload: XMLHttpRequest does so, fetch() does not.
 * Throws ApiError when the API refuses it.
 */
export function upload<T>(
  path: ApiPath,
  body: FormData | File,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const url = urlOf(path);
    request.open('POST', url);
    const type = body instanceof File ? { 'Content-Type': 'text/csv' } : {};
    for (const [name, value] of Object.entries({ Accept: 'application/json', ...type, ...authorization() }))
      request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total > 0 ? Math.round((loaded / total) * 100) : 0),
    );
    request.addEventListener('load', () => {
      reportIgnored('POST', url, (name) => request.getResponseHeader(name));
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as T);
      else reject(refused(request.status, request.responseText, request.getResponseHeader('retry-after')));
    });
    request.addEventListener('error', () =>
      reject(new ApiError(0, 'The upload was interrupted. Is the service reachable?')),
    );
    request.addEventListener('abort', () => reject(new DOMException('The page was left.', 'AbortError')));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}
