/** The public API as a user's program meets it. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  async request<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }

  async createCall(input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answer = await this.request<{ data: Record<string, unknown> }>('POST', '/calls', input);
    if (answer.status !== 201) throw new Error(`POST /calls: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  async call(id: string): Promise<Record<string, unknown>> {
    return (await this.request<{ data: Record<string, unknown> }>('GET', `/calls/${id}`)).body.data;
  }
}

export interface ApiAnswer<T> {
  status: number;
  headers: Headers;
  body: T;
}
