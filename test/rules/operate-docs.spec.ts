import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runbookOf } from '../support/runbook-link.js';
import { commandProblem } from '../support/trunkline-command.js';

const FOLDER = 'docs/operate';

const pages = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join(FOLDER, name));
const all = (pattern: RegExp, text: string): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');
const checklist = readFileSync(join(FOLDER, 'checklist.md'), 'utf8');

describe('the pages for operators', () => {
  it('show only existing commands', () => {
    const shown = pages.flatMap((page) => all(/bin\/trunkline ([^`#\n|]+)/g, readFileSync(page, 'utf8')));
    const commands = new Set(shown.map((text) => text.trim()));
    expect(commands.size).toBeGreaterThan(5);
    const wrong = [...commands].map((command) => commandProblem(command.split(/\s+/)));
    expect(wrong.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('have a runbook for each alert, and no runbook without an alert', () => {
    const rules = parse(readFileSync('deploy/alerts/trunkline.yaml', 'utf8')) as {
      spec: { groups: { rules: { alert?: string; annotations?: { runbook_url?: string } }[] }[] };
    };
    const alerts = rules.spec.groups.flatMap((group) => group.rules).filter(({ alert }) => alert !== undefined);
    const wanted = alerts.map(({ annotations }) => runbookOf(annotations?.runbook_url ?? '').file);
    expect(wanted.filter((file) => !existsSync(file))).toEqual([]);
    expect(pages.filter((page) => page.includes('/runbooks/')).toSorted()).toEqual([...new Set(wanted)].toSorted());
    const unnamed = alerts.filter(
      ({ alert, annotations }) =>
        !readFileSync(runbookOf(annotations?.runbook_url ?? '').file, 'utf8').includes(`\`${alert}\``),
    );
    expect(unnamed).toEqual([]);
  });

  it('mark the packets of the default ports of a dialer', () => {
    const rules = readFileSync('deploy/dscp.nft', 'utf8');
    const variables = readFileSync('docs/operate/configuration.md', 'utf8');
    const [, sip, rtp] = /^\| `SIP_BIND`, `SIP_PORT`, `RTP_PORTS` \| \S+, (\d+), (\d+-\d+) \|/m.exec(variables) ?? [];
    const tls = /^\| `SIP_TLS_CERT`, .* \| none, none, (\d+) \|/m.exec(variables)?.[1];
    expect(new Set(all(/udp sport (\S+) ip6? dscp set ef/g, rules))).toEqual(new Set([rtp]));
    expect(new Set(all(/udp sport (\S+) ip6? dscp set cs3/g, rules))).toEqual(new Set([sip]));
    expect(new Set(all(/tcp [sd]port (\{.*\}) ip6? dscp set cs3/g, rules))).toEqual(new Set([`{ ${sip}, ${tls} }`]));
  });

  it('have a table for each version, with what to do before and after, the time and the way back', () => {
    const upgrades = readFileSync(join(FOLDER, 'upgrades.md'), 'utf8');
    const versions = all(/^## (\d+\.\d+\.\d+)/gm, readFileSync('CHANGELOG.md', 'utf8'));
    expect(versions.length).toBeGreaterThan(0);
    const header = '| What changes | Before | After | How long | How to go back |';
    const sections = upgrades.split(/^## /m).filter((section) => section.includes(header));
    expect(sections.map((section) => /^\d+\.\d+\.\d+/.exec(section)?.[0])).toEqual(versions);
    const rows = upgrades.split('\n').filter((line) => line.startsWith('| **'));
    expect(rows.filter((row) => row.split('|').length !== 7)).toEqual([]);
  });

  it('have a checklist of at least 35 items, each with its evidence', () => {
    const items = checklist.split('\n').filter((line) => /^\| \d+ \|/.test(line));
    expect(items.length).toBeGreaterThanOrEqual(35);
    expect(items.map((line) => Number(/^\| (\d+)/.exec(line)?.[1]))).toEqual(items.map((_, index) => index + 1));
    expect(items.filter((line) => !/\]\(|`/.test(line.split('|')[3] ?? ''))).toEqual([]);
  });

  it('give the user of a bucket the rights that the storage uses, and no others', () => {
    const [, json = '{}'] = /```json\n([^`]*)```/.exec(readFileSync('docs/operate/storage.md', 'utf8')) ?? [];
    const { Statement: statements } = JSON.parse(json) as {
      Statement: { Action: string | string[]; Resource: string }[];
    };
    const code = readFileSync('libs/storage/src/s3-storage.ts', 'utf8');
    // HEAD is a right to GET.
    const used = all(/new sdk\.(\w+)Command\(/g, code).map((name) => `s3:${name.replace('HeadObject', 'GetObject')}`);
    const [objects, bucket] = statements;
    expect(new Set(objects?.Action)).toEqual(new Set(used));
    expect(bucket).toMatchObject({ Action: 's3:ListBucket', Resource: expect.not.stringContaining('*') });
  });
});
