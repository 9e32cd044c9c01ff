import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StepFailed, step } from './step.mjs';

/** Functions of the templates of Helm charts. */
const SPRIG = '/usr/share/gocode/src/github.com/Masterminds/sprig';

/** External programs that the end-to-end tests use as peers and stores. */
const PACKAGES = [
  { name: 'sip-tester', present: () => inPath('sipp'), tests: 'SIPp scenarios' },
  { name: 'kamailio', present: () => inPath('kamailio'), tests: 'calls through Kamailio' },
  { name: 'kamailio-tls-modules', present: () => kamailioModule('tls.so'), tests: 'TLS with Kamailio' },
  { name: 'baresip-core', present: () => inPath('baresip'), tests: 'calls to baresip' },
  { name: 'openssl', present: () => inPath('openssl'), tests: 'certificates of trunks' },
  { name: 'espeak-ng', present: () => inPath('espeak-ng'), tests: 'agents that speak by a program' },
  { name: 'sox', present: () => inPath('sox'), tests: 'audio measurements with sox' },
  { name: 'tcpdump', present: () => inPath('tcpdump'), tests: 'captures of the signalling' },
  { name: 'redis-server', present: () => inPath('redis-server'), tests: 'queues on Redis' },
  { name: 'redis-sentinel', present: () => inPath('redis-sentinel'), tests: 'queues behind Sentinels' },
  { name: 'pgbouncer', present: () => inPath('pgbouncer'), tests: 'a database behind pgbouncer' },
  {
    name: 'postgresql',
    present: () => existsSync('/usr/lib/postgresql'),
    tests: 'dumps, restores and TLS of a database',
  },
  { name: 'caddy', present: () => inPath('caddy'), tests: 'the entrance of Docker Compose' },
  { name: 'nginx-light', present: () => inPath('nginx'), tests: 'the configuration of nginx' },
  { name: 'docker-compose', present: () => inPath('docker-compose'), tests: 'docker-compose config' },
  { name: 'golang-go', present: () => inPath('go'), tests: 'the Helm chart' },
  { name: 'golang-github-masterminds-sprig-dev', present: () => existsSync(SPRIG), tests: 'the Helm chart' },
  { name: 'kubernetes-client', present: () => inPath('kubectl'), tests: 'Kubernetes objects' },
  { name: 'python3', present: () => inPath('python3'), tests: 'webhook verification in Python' },
  { name: 'php-cli', present: () => inPath('php'), tests: 'webhook verification in PHP' },
  { name: 'chromium', present: () => inPath('chromium'), tests: 'pages in a browser' },
];

/** Installs missing packages when possible (root, apt-get), and lists the tests that will be skipped otherwise. Never fails. */
export async function ensureDebianPackages() {
  if (missing().length > 0 && process.getuid?.() === 0 && inPath('apt-get')) await install(missing());
  for (const { name, tests } of missing()) console.log(`  ${name} is not installed: tests of ${tests} will be skipped`);
}

const missing = () => PACKAGES.filter(({ present }) => !present());

async function install(packages) {
  const names = packages.map(({ name }) => name);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await step('updating the package lists (apt-get update)', 'apt-get', ['update', '-q'], { env });
    const args = ['install', '-y', '-q', '--no-install-recommends', ...names];
    await step(`installing ${names.join(' ')}`, 'apt-get', args, { env });
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.log(lastLine(error.message));
  }
}

const lastLine = (text) => `  ${text.trim().split('\n').at(-1)}`;

function inPath(program) {
  const folders = `${process.env.PATH}${delimiter}/usr/sbin`.split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

function kamailioModule(file) {
  return readdirSync('/usr/lib').some((folder) => existsSync(join('/usr/lib', folder, 'kamailio/modules', file)));
}
