import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

export const BOUNDARY = 'boundary-of-the-test';

/** One field of a multipart form, encoded. */
export const fieldPart = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** The head of a file part; the bytes until FILE_END are the file. */
export const fileHead = (name: string, disposition = `filename="${name}"`): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; ${disposition}\r\nContent-Type: application/pdf\r\n\r\n`;
export const FILE_END = `\r\n--${BOUNDARY}--\r\n`;

export interface FormAnswer {
  status: number;
  body: { message?: string; errors?: Record<string, string[]>; data?: Record<string, unknown> };
}

/** A POST whose body the test writes in chunks. */
export class RawForm {
  readonly request: ClientRequest;
  readonly answer: Promise<FormAnswer>;

  constructor(port: number, path: string, token: string, headers: Record<string, string> = {}) {
    this.request = request({
      port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...headers,
      },
    });
    this.answer = new Promise<IncomingMessage>((resolve, reject) => {
      this.request.once('response', resolve);
      this.request.on('error', reject);
    }).then(async (response) => ({
      status: response.statusCode ?? 0,
      body: (await json(response)) as FormAnswer['body'],
    }));
    this.answer.catch(() => undefined);
  }

  /** Resolves when the operating system has accepted the chunk. */
  write(data: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => this.request.write(data, (error) => (error ? reject(error) : resolve())));
  }

  end(data = ''): Promise<FormAnswer> {
    this.request.end(data);
    return this.answer;
  }
}
