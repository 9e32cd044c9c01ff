import type { VNode } from 'preact';
import { apiPath } from '../../api/path.js';
import type { KnowledgeBase, KnowledgePassage } from '../../api/types.js';
import { Loaded, Rows, Steps, usePaged, useRecord } from '../../components/lists.js';
import { placeInSource } from '../../components/passage.js';
import { Card, Empty, type Fact, Facts, Page, Pill } from '../../components/parts.js';
import { pageOfAddress, type Params } from '../../components/router.js';
import { plural, words } from '../../logic/format.js';

/** What searches find of a source: its passages in reading order, and how well it was read. */
export function KnowledgePassagesPage({ params: { agent = '', id = '' } }: { params: Params }): VNode {
  const path = apiPath`agents/${agent}/knowledge-bases/${id}`;
  const source = useRecord<KnowledgeBase>(path);
  const passages = usePaged<KnowledgePassage>(apiPath`${path}/passages`, { at: pageOfAddress() });
  return (
    <Page
      title={source.data?.title ?? 'Passages'}
      lead="The passages that searches return, as the agent receives them."
      back={[`#/knowledge/${agent}`, 'Knowledge']}
    >
      <div class="stack">
        <Loaded of={source} what="the source">
          {(one) => (
            <Card title="Quality" name="quality" aside={<Pill status={one.status} />}>
              <Facts all={factsOf(one)} />
              {one.quality === 'suspect' && <p class="field-error">{one.quality_reason}</p>}
            </Card>
          )}
        </Loaded>
        <Card
          title="Passages"
          name="passages"
          aside={<span class="muted">{passages.data && plural(passages.data.meta.total, 'passage')}</span>}
        >
          <Loaded of={passages} what="the passages">
            {({ data, meta }) => (
              <Rows
                items={data}
                keyOf={(one) => one.chunk_id}
                row={(one) => <StoredPassage one={one} place={(meta.from ?? 1) + data.indexOf(one)} />}
                empty={
                  <Empty icon="book" title="No passages yet">
                    <p>Passages appear once the source is processed.</p>
                  </Empty>
                }
                class="passages"
                label="Passages"
              />
            )}
          </Loaded>
          <Steps of={passages} label="Pages of passages" names={['Previous', 'Next']} />
        </Card>
      </div>
    </Page>
  );
}

const QUALITIES: Record<string, string> = { good: 'Good', suspect: 'Possibly garbled' };

function factsOf(one: KnowledgeBase): Fact[] {
  return [
    ['Text', one.quality === null ? 'Not measured' : (QUALITIES[one.quality] ?? words(one.quality))],
    ['Language', one.language ?? 'Unknown'],
    ['Words', one.word_count.toLocaleString('en-US')],
    ['Passages', one.chunk_count.toLocaleString('en-US')],
    ...vectorFacts(one),
  ];
}

const vectorFacts = ({ vectors }: KnowledgeBase): Fact[] =>
  vectors ? [['Embedded', `${vectors.done.toLocaleString('en-US')} of ${vectors.of.toLocaleString('en-US')}`]] : [];

const StoredPassage = ({ one, place }: { one: KnowledgePassage; place: number }): VNode => (
  <article class="passage" data-passage={one.chunk_id}>
    <header>
      <strong>{place}</strong>
      <span class="muted small">{placeInSource(one)}</span>
      <span class="score small">{one.has_vector ? 'keyword and semantic search' : 'keyword search'}</span>
    </header>
    <p tabIndex={0} role="region" aria-label={`Passage ${place}`}>
      {one.text}
    </p>
  </article>
);
