/** A SIP request or response, as far as tests read it. */
export class SipMessage {
  /** Of the sender; the peer sets it. */
  sourcePort = 0;

  private constructor(
    private readonly start: string,
    private readonly headers: [name: string, value: string][],
    readonly body: string,
  ) {}

  static parse(text: string): SipMessage {
    const end = text.indexOf('\r\n\r\n');
    const [start = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n');
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    });
    return new SipMessage(start, headers, end < 0 ? '' : text.slice(end + 4));
  }

  /** 0: a request. */
  get status(): number {
    return Number(/^SIP\/2\.0 (\d{3})/.exec(this.start)?.[1] ?? 0);
  }

  /** Of a response: the method of its request. */
  get method(): string {
    return this.status === 0 ? (this.start.split(' ', 1)[0] ?? '') : (this.get('CSeq').split(' ')[1] ?? '');
  }

  /** The Request-URI. */
  get uri(): string {
    return this.start.split(' ')[1] ?? '';
  }

  /** The first value of the header; empty without it. */
  readonly get = (name: string): string => this.all(name)[0] ?? '';

  readonly all = (name: string): string[] =>
    this.headers.filter(([one]) => one === name.toLowerCase()).map(([, value]) => value);
}
