import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { type ApiPath, apiPath } from '../../api/path.js';
import { agentsOf } from '../../api/records.js';
import type { Agent, KnowledgeBase, KnowledgeBaseChanges, Passage } from '../../api/types.js';
import { Field, Form, textOf } from '../../components/forms.js';
import { AgentPage, Loaded, RecordActions, Rows, Steps, usePaged, useRead, useRecord } from '../../components/lists.js';
import { Passages } from '../../components/passage.js';
import { announce, Card, Empty, Page, Pill, Time } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import type { Params } from '../../components/router.js';
import { bytes, plural, words } from '../../logic/format.js';
import { AddKnowledge } from './knowledge-add.js';
import { UnansweredQuestions } from './unanswered-questions.js';

const BUSY_MS = 700;
const VECTORS_MS = 3_000;
const CALM_MS = 10_000;

const lacksVectors = ({ vectors }: KnowledgeBase): boolean => vectors != null && vectors.done < vectors.of;
const isPending = ({ status }: KnowledgeBase): boolean => status === 'pending' || status === 'processing';

/** Until the list is read again, for the progress of this source. */
function pauseOf(one: KnowledgeBase): number {
  if (isPending(one) || one.stage !== null) return BUSY_MS;
  return lacksVectors(one) ? VECTORS_MS : CALM_MS;
}

export const KnowledgePage = ({ params }: { params: Params }): VNode => (
  <AgentPage
    title="Knowledge"
    lead="Documents that agents search during calls."
    place="knowledge"
    wanted={params['agent']}
  >
    {(agent) => <Knowledge agent={agent} />}
  </AgentPage>
);

/** The knowledge bases of an agent, read again while the page is open. */
function Knowledge({ agent }: { agent: Agent }): VNode {
  const path = apiPath`agents/${agent.id}/knowledge-bases`;
  const sources = usePaged<KnowledgeBase>(path, {
    every: ({ data }) => Math.min(...data.map(pauseOf), CALM_MS),
  });
  const agents = useRead('agents', agentsOf).data ?? [];
  const owners = new Map(agents.map(({ id, name }) => [id, name]));
  const added = (): void => {
    sources.turnTo(1);
    sources.again();
  };
  return (
    <div class="with-aside">
      <div class="main-column stack">
        <Card title="Test search" name="search">
          <TrySearch path={path} />
        </Card>
        <Card
          title="Sources"
          name="sources"
          aside={<span class="muted">{sources.data && plural(sources.data.meta.total, 'source')}</span>}
        >
          <Loaded of={sources} what="knowledge bases">
            {({ data }) => (
              <Rows
                items={data}
                keyOf={({ id }) => id}
                row={(one) => (
                  <Source one={one} agentId={agent.id} owners={owners} path={path} onChange={sources.again} />
                )}
                empty={<NoKnowledge />}
                class="rows knowledge"
                label="Knowledge bases"
              />
            )}
          </Loaded>
          <Steps of={sources} label="Pages of sources" />
        </Card>
        <May scope="calls:read">
          <UnansweredQuestions path={path} />
        </May>
      </div>
      <aside aria-label="Add knowledge">
        <AddKnowledge path={path} onAdded={added} />
      </aside>
    </div>
  );
}

const NoKnowledge = (): VNode => (
  <Empty icon="book" title="No knowledge yet">
    <May scope="knowledge:write">
      <p>Add a file, a web page or some text with the form on this page. Then try a search above.</p>
    </May>
  </Empty>
);

/** A form that shows the passages that the agent would receive for a question. */
function TrySearch({ path }: { path: ApiPath }): VNode {
  const found = useSignal<{ query: string; passages: Passage[]; summary: string } | undefined>(undefined);
  const send = async (values: FormData): Promise<void> => {
    const query = textOf(values, 'query');
    const began = performance.now();
    const { data } = await ask<{ data: Passage[] }>('POST', apiPath`${path}/search`, { body: { query } });
    const ms = Math.round(performance.now() - began);
    const summary = data.length === 0 ? 'No results.' : `${plural(data.length, 'passage')} in ${ms} ms`;
    announce(summary);
    found.value = { query, passages: data, summary };
  };
  return (
    <div>
      <Form label="Test search" submit="Search" busy="Searching…" send={send} class="inline-form">
        <Field name="query" label="Question">
          <input type="search" placeholder="What is your return policy?" autocomplete="off" />
        </Field>
      </Form>
      <div class="found">
        {found.value && (
          <>
            <p class="muted small">{found.value.summary}</p>
            <Passages all={found.value.passages} query={found.value.query} />
          </>
        )}
      </div>
    </div>
  );
}

interface SourceParts {
  one: KnowledgeBase;
  agentId: number;
  /** Names of agents: a source may be shared by another one. */
  owners: ReadonlyMap<number, string>;
  path: ApiPath;
  onChange: () => void;
}

/** One knowledge base of the list. */
function Source({ one, agentId, owners, path, onChange }: SourceParts): VNode {
  const own = apiPath`${path}/${one.id}`;
  const again = { label: one.source_type === 'url' ? 'Refetch' : 'Reprocess', path: apiPath`${own}/reprocess` };
  return (
    <div class="row knowledge-row" data-knowledge={one.id}>
      <div class="split">
        <strong>{one.title}</strong>
        <Pill status={one.status} />
      </div>
      <p class="muted small">
        {`${factsOf(one)} · `}
        {one.chunk_count > 0 && (
          <>
            <a href={`#/knowledge/${agentId}/${one.id}/passages`}>
              {plural(one.chunk_count, 'passage')}
              <span class="unseen"> of {one.title}</span>
            </a>
            {' · '}
          </>
        )}
        <Time iso={one.updated_at} />
      </p>
      {(isPending(one) || one.stage !== null) && <Progress one={one} />}
      {lacksVectors(one) && one.stage === null && <VectorProgress one={one} />}
      {one.processing_error !== null && <p class="field-error">{one.processing_error}</p>}
      {one.quality === 'suspect' && <p class="field-error">{one.quality_reason}</p>}
      {one.agent_id === agentId ? (
        <RecordActions
          scope="knowledge:write"
          path={own}
          edit={`#/knowledge/${agentId}/${one.id}`}
          title={one.title}
          kind="the source"
          deletion={{ says: <p>Searches no longer find its {plural(one.chunk_count, 'passage')}.</p> }}
          active={['is_active', one.is_active]}
          onChange={onChange}
          {...(one.source_type !== 'text' && !isPending(one) && { more: again })}
        />
      ) : (
        // Only the owning agent can change a shared knowledge base.
        <p class="muted small">
          Shared by <a href={`#/knowledge/${one.agent_id}`}>{owners.get(one.agent_id) ?? 'another agent'}</a>.
        </p>
      )}
    </div>
  );
}

function factsOf(one: KnowledgeBase): string {
  const { file_name: name, file_size: fileSize, word_count: wordCount } = one;
  const source =
    one.source_type === 'file' ? [name, fileSize !== null && bytes(fileSize)] : [one.source_reference ?? 'Text'];
  return [...source, wordCount > 0 && plural(wordCount, 'word')].filter(Boolean).join(' · ');
}

function Progress({ one: { stage, progress, title } }: { one: KnowledgeBase }): VNode {
  const label = stage === null ? 'Queued' : words(stage);
  return <ProgressLine name={`${title}: ${label}`} percent={progress} says={`${label} ${progress} %`} />;
}

/** Words find all passages at once; the meaning of each is added later. */
function VectorProgress({ one: { title, vectors } }: { one: KnowledgeBase }): VNode {
  const { done, of } = vectors ?? { done: 0, of: 1 };
  const says = `Embedded: ${done.toLocaleString('en-US')} of ${plural(of, 'passage')}`;
  return <ProgressLine name={`${title}: embedded`} percent={Math.floor((done / of) * 100)} says={says} />;
}

/** `name`: for screen readers. */
const ProgressLine = ({ name, percent, says }: { name: string; percent: number; says: string }): VNode => (
  <div class="progress-line">
    <div
      class="progress"
      role="progressbar"
      aria-label={name}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
    <span class="muted small">{says}</span>
  </div>
);

/** The page that edits a knowledge base: its title and, for texts, the content. */
export function KnowledgeBasePage({ params: { agent = '', id = '' } }: { params: Params }): VNode {
  const path = apiPath`agents/${agent}/knowledge-bases/${id}`;
  const back = `#/knowledge/${agent}`;
  const source = useRecord<KnowledgeBase>(path);
  const send = async (values: FormData): Promise<void> => {
    const [title, content] = [textOf(values, 'title'), values.get('content')];
    const body: KnowledgeBaseChanges = { title, ...(typeof content === 'string' && { content }) };
    await ask('PATCH', path, { body });
    announce(`${title} was updated.`);
    location.hash = back;
  };
  return (
    <Page title="Edit source" back={[back, 'Knowledge']}>
      <Loaded of={source} what="the source">
        {(one) => (
          <Form
            scope="knowledge:write"
            record={{ key: `knowledge/${agent}/${id}`, name: `the source ${one.title}` }}
            label="Edit source"
            class="card stack"
            submit="Save"
            busy="Saving…"
            send={send}
            cancel={back}
          >
            <Field name="title" label="Title">
              <input maxLength={255} autocomplete="off" defaultValue={one.title} />
            </Field>
            {one.source_type === 'text' ? (
              <Field name="content" label="Text" hint="Plain text or Markdown. Searches use the saved text.">
                <textarea rows={16} defaultValue={one.content ?? ''} />
              </Field>
            ) : (
              <p class="hint">
                Source: {one.source_reference ?? one.file_name ?? ''}. To use another source, add a new one.
              </p>
            )}
          </Form>
        )}
      </Loaded>
    </Page>
  );
}
