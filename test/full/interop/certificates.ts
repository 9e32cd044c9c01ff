import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM files and their content. */
export interface Certificate {
  certFile: string;
  keyFile: string;
  cert: string;
  key: string;
}

/** A certificate authority of openssl for one test, in a separate folder. */
export class TestAuthority {
  readonly ca: string;
  readonly caFile: string;
  private readonly folder = mkdtempSync(join(tmpdir(), 'trunkline-ca-'));
  private issued = 0;

  constructor(name = 'trunkline test authority') {
    const ca = this.path('ca');
    const request = ['req', '-x509', ...KEY, '-keyout', ca.keyFile, '-out', ca.certFile, '-subj', `/CN=${name}`];
    openssl([...request, '-days', '2']);
    this.caFile = ca.certFile;
    this.ca = readFileSync(ca.certFile, 'utf8');
  }

  /** @param names such as `DNS:carrier.test`, `IP:127.0.0.1`, `URI:sip:carrier.test` */
  issue(names: string[], { days = 2 } = {}): Certificate {
    this.issued++;
    const { certFile, keyFile } = this.path(`leaf-${this.issued}`);
    const { certFile: request } = this.path(`request-${this.issued}`);
    const extensions = join(this.folder, `extensions-${this.issued}`);
    writeFileSync(extensions, `subjectAltName=${names.join(',')}\n`);
    openssl(['req', '-new', ...KEY, '-keyout', keyFile, '-out', request, '-subj', '/CN=test']);
    const signing = ['-CA', this.caFile, '-CAkey', this.path('ca').keyFile, '-CAcreateserial', '-days', `${days}`];
    openssl(['x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', certFile]);
    return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private path(name: string): { certFile: string; keyFile: string } {
    return { certFile: join(this.folder, `${name}.pem`), keyFile: join(this.folder, `${name}.key`) };
  }
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function openssl(args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
