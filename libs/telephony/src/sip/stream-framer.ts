const CR = 0x0d;
const LF = 0x0a;
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,9})[ \t]*\r?$/im;

/** The stream cannot be resynchronised: the connection is closed (RFC 3261 §18.3). */
export class FramingError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'FramingError';
  }
}

/** Cuts a byte stream into SIP messages by Content-Length and separates keep-alives (RFC 5626 §3.5.1). */
export class StreamFramer {
  private pending: Buffer = Buffer.alloc(0);
  private searchFrom = 0;
  private wanted = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onMessage: (message: Buffer) => void,
    private readonly onPing: () => void,
  ) {}

  /** @throws FramingError */
  push(chunk: Buffer): void {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    while (this.step());
    if (this.pending.length > this.maxBytes) throw new FramingError('message is too long');
  }

  /** True when something was taken off the front. */
  private step(): boolean {
    if (this.wanted === 0 && this.skipLineBreaks()) return true;
    if (this.wanted === 0 && !this.findEnd()) return false;
    if (this.pending.length < this.wanted) return false;
    const message = this.take(this.wanted);
    this.wanted = 0;
    this.onMessage(message);
    return true;
  }

  private skipLineBreaks(): boolean {
    const { pending } = this;
    if (pending[0] !== CR && pending[0] !== LF) return false;
    if (pending.length >= 4 && pending.readUInt32BE(0) === 0x0d0a0d0a) {
      this.take(4);
      this.onPing();
      return true;
    }
    // "\r\n\r" may be the start of a ping: wait for its last byte.
    if (pending.length < 4 && pending.equals(Buffer.from('\r\n\r\n').subarray(0, pending.length))) return false;
    this.take(pending[0] === CR && pending[1] === LF ? 2 : 1);
    return true;
  }

  private findEnd(): boolean {
    const end = this.pending.indexOf('\r\n\r\n', this.searchFrom);
    if (end < 0) {
      this.searchFrom = Math.max(0, this.pending.length - 3);
      return false;
    }
    const length = CONTENT_LENGTH.exec(this.pending.toString('latin1', 0, end))?.[1];
    // Mandatory on streams (RFC 3261 §20.14); without it the next message cannot be found.
    if (length === undefined) throw new FramingError('no content-length on a stream');
    this.wanted = end + 4 + Number(length);
    if (this.wanted > this.maxBytes) throw new FramingError('message is too long');
    return true;
  }

  private take(bytes: number): Buffer {
    const taken = this.pending.subarray(0, bytes);
    this.pending = this.pending.subarray(bytes);
    this.searchFrom = 0;
    return taken;
  }
}
