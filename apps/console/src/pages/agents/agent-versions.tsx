import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask, request } from '../../api/client.js';
import { type ApiPath, apiPath } from '../../api/path.js';
import { tokensOf, versionsAt } from '../../api/records.js';
import type { AgentSettings, AgentVersion, Token, WholeAgent } from '../../api/types.js';
import { Choice, Field, Form, numberOf } from '../../components/forms.js';
import { Loaded, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { Card, ConfirmButton, Empty, Pill, Time, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { differencesOf } from '../../logic/difference.js';
import { plural } from '../../logic/format.js';

interface VersionsParts {
  agent: WholeAgent;
  /** How often the editor has saved: each time there is another version. */
  saves: number;
  /** Called when the current version or the canary is another one. */
  onPublished: () => void;
}

/** The versions of an agent: drafts, the current one, a canary, and earlier ones to restore. */
export function Versions({ agent, saves, onPublished }: VersionsParts): VNode {
  const path = apiPath`agents/${agent.id}/versions`;
  const versions = usePaged<AgentVersion>(path);
  const tokens = useRead('tokens', tokensOf).data ?? [];
  useEffect(() => {
    if (saves > 0) versions.again();
  }, [saves]);
  const changed = (): void => {
    versions.again();
    onPublished();
  };
  return (
    <Card
      title="Versions"
      name="versions"
      aside={<span class="muted">{versions.data && plural(versions.data.meta.total, 'version')}</span>}
    >
      <Loaded of={versions} what="versions">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ version }) => version}
            row={(one) => (
              <VersionRow tokens={tokens} one={one} path={path} current={agent.version} onChange={changed} />
            )}
            empty={<Empty icon="log" title="No versions yet" />}
            class="rows"
            label="Versions"
          />
        )}
      </Loaded>
      <Steps of={versions} label="Pages of versions" />
      <CompareAny path={path} latest={versions.data?.data[0]?.version ?? agent.version} current={agent.version} />
    </Card>
  );
}

const STATES: Readonly<Record<AgentVersion['state'], readonly [tone: string, label: string]>> = {
  draft: ['pending', 'Draft'],
  current: ['up', 'Published'],
  canary: ['slow', 'Canary'],
  superseded: ['cancelled', 'Superseded'],
};

const AUTHORS: Readonly<Record<string, string>> = {
  token: 'a token',
  person: 'a person',
  cli: 'the command line',
  system: 'the service',
};

/** `the token CRM`; without its name for sessions that may not read tokens. */
function authorOf({ kind, id }: NonNullable<AgentVersion['created_by']>, tokens: readonly Token[]): string {
  const token = kind === 'token' ? tokens.find((one) => String(one.id) === id) : undefined;
  return token ? `the token ${token.name}` : (AUTHORS[kind] ?? kind);
}

interface RowParts {
  tokens: readonly Token[];
  one: AgentVersion;
  /** Path of the versions in the API. */
  path: ApiPath;
  current: number;
  onChange: () => void;
}

function VersionRow({ tokens, one, path, current, onChange }: RowParts): VNode {
  const [tone, label] = STATES[one.state];
  const isOpen = useSignal(false);
  const share = one.traffic_percent > 0 && one.traffic_percent < 100 ? `, ${one.traffic_percent} % of new calls` : '';
  return (
    <div class="record" data-version={one.version}>
      <div class="split">
        <strong>Version {one.version}</strong>
        <Pill status={tone} label={`${label}${share}`} />
      </div>
      <p class="muted small">
        {one.note !== '' && `${one.note} · `}
        {one.published_at === null ? 'created ' : 'published '}
        <Time iso={one.published_at ?? one.created_at} />
        {one.created_by && ` by ${authorOf(one.created_by, tokens)}`}
      </p>
      {one.version !== current && (
        <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
          <summary>Compare with the published version</summary>
          {isOpen.value && <Comparison path={path} before={current} after={one.version} />}
        </details>
      )}
      {one.version !== current && (
        <VersionActions one={one} path={apiPath`${path}/${one.version}`} onChange={onChange} />
      )}
    </div>
  );
}

function VersionActions({ one, path, onChange }: Pick<RowParts, 'one' | 'path' | 'onChange'>): VNode {
  const { run, isBusy, said } = useAct();
  const act = (method: string, target: ApiPath, sentence: string, body?: object) => (): void =>
    run(async () => {
      await request(method, target, { body });
      onChange();
      return sentence;
    });
  const isOpen = one.state === 'draft' || one.state === 'canary';
  const other = otherAction(one, path);
  return (
    <>
      <div class="actions">
        {isOpen && (
          <ActButton
            scope="agents:write"
            class="primary"
            data-act="publish"
            isBusy={isBusy}
            onClick={act('POST', apiPath`${path}/publish`, `Version ${one.version} is published.`, {})}
          >
            Publish
          </ActButton>
        )}
        {other && (
          <ActButton scope="agents:write" data-act={other.act} onClick={act(other.method, other.path, other.sentence)}>
            {other.label}
          </ActButton>
        )}
        {one.state === 'draft' && (
          <ConfirmButton
            scope="agents:write"
            verb="Delete"
            what={`version ${one.version}`}
            onSure={act('DELETE', path, `Version ${one.version} was deleted.`)}
          >
            <p>Its settings are lost. Calls keep the versions that they have.</p>
          </ConfirmButton>
        )}
      </div>
      {isOpen && <CanaryForm path={path} percent={one.traffic_percent} onChange={onChange} />}
      {said}
    </>
  );
}

interface OtherAction {
  act: string;
  method: string;
  path: ApiPath;
  label: string;
  sentence: string;
}

/** What can be done with a canary, and with an earlier version. */
function otherAction({ state, version }: AgentVersion, path: ApiPath): OtherAction | undefined {
  const sentence = `Version ${version} was restored and published.`;
  if (state === 'superseded')
    return { act: 'restore', method: 'POST', path: apiPath`${path}/restore`, label: 'Restore', sentence };
  if (state !== 'canary') return undefined;
  const label = 'End canary';
  return {
    act: 'end-canary',
    method: 'DELETE',
    path: apiPath`${path}/traffic`,
    label,
    sentence: 'Canary ended.',
  };
}

const CanaryForm = ({ path, percent, onChange }: { path: ApiPath; percent: number; onChange: () => void }): VNode => (
  <Form
    scope="agents:write"
    label="Publish as canary"
    class="inline-form canary"
    submit="Publish as canary"
    busy="Publishing…"
    send={async (values) => {
      await ask('POST', apiPath`${path}/publish`, { body: { traffic_percent: numberOf(values, 'traffic_percent') } });
      onChange();
    }}
  >
    <Field name="traffic_percent" label="Share of new calls (%)">
      <input inputMode="numeric" defaultValue={String(percent || 10)} />
    </Field>
  </Form>
);

interface CompareParts {
  path: ApiPath;
  latest: number;
  current: number;
}

/** A choice of two versions, and what differs between them. */
function CompareAny({ path, latest, current }: CompareParts): VNode | null {
  const isOpen = useSignal(false);
  const before = useSignal('');
  const after = useSignal('');
  const all = useRead(`${String(path)} choices ${isOpen.value} ${latest} ${current}`, async (signal) =>
    isOpen.value ? versionsAt(path, signal) : [],
  );
  if (latest < 2 && current < 2) return null;
  const options = (all.data ?? []).map((one) => [one.version, versionText(one)] as const);
  const [old, fresh] = [before.value || String(options[1]?.[0] ?? ''), after.value || String(options[0]?.[0] ?? '')];
  return (
    <details data-part="compare" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Compare versions</summary>
      <div class="stack">
        <div class="pair">
          <Field name="before" label="From">
            <Choice options={options} selected={old} onChange={(version) => (before.value = version)} />
          </Field>
          <Field name="after" label="To">
            <Choice options={options} selected={fresh} onChange={(version) => (after.value = version)} />
          </Field>
        </div>
        {isOpen.value && old !== '' && fresh !== '' && (
          <Comparison path={path} before={Number(old)} after={Number(fresh)} />
        )}
      </div>
    </details>
  );
}

const versionText = ({ version, state, note }: AgentVersion): string =>
  [`Version ${version}`, STATES[state][1], note].filter((text) => text !== '').join(' · ');

/** The settings that differ between two versions, line by line. */
function Comparison({ path, before, after }: { path: ApiPath; before: number; after: number }): VNode {
  const both = useRead(`${String(path)} ${before} ${after}`, async (signal) => {
    const settings = async (version: number): Promise<AgentSettings> =>
      (await ask<{ data: { settings: AgentSettings } }>('GET', apiPath`${path}/${version}`, { signal })).data.settings;
    return Promise.all([settings(before), settings(after)]);
  });
  return (
    <Loaded of={both} what="both versions">
      {([old, fresh]) => {
        const all = differencesOf(old, fresh);
        if (all.length === 0) return <p class="muted">These versions have the same settings.</p>;
        return all.map(({ field, lines }) => (
          <div key={field} class="difference">
            <h4>{field}</h4>
            <pre tabIndex={0} role="region" aria-label={`Difference of ${field}`}>
              {lines.map(({ kind, text }, index) => (
                <Line key={index} kind={kind} text={text} />
              ))}
            </pre>
          </div>
        ));
      }}
    </Loaded>
  );
}

const SIGNS = { same: '  ', removed: '− ', added: '+ ' } as const;

const Line = ({ kind, text }: { kind: keyof typeof SIGNS; text: string }): VNode => {
  const line = `${SIGNS[kind]}${text}\n`;
  if (kind === 'removed') return <del>{line}</del>;
  return kind === 'added' ? <ins>{line}</ins> : <>{line}</>;
};
