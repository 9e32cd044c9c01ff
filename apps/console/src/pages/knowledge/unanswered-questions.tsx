import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { type ApiPath, apiPath } from '../../api/path.js';
import type { KnowledgeBase, ListOf, UnansweredQuestion } from '../../api/types.js';
import { Choice, Field, Form, textOf } from '../../components/forms.js';
import { Loaded, Rows, useRead } from '../../components/lists.js';
import { announce, Card, Empty, Time } from '../../components/parts.js';
import { OnePassage } from '../../components/passage.js';
import { plural } from '../../logic/format.js';

const MAX_SOURCES = 100;

interface Answers {
  questions: UnansweredQuestion[];
  /** The sources in which the answers may be. */
  sources: KnowledgeBase[];
}

/** What callers asked and no source answered, each with a form that makes it a retrieval test. */
export function UnansweredQuestions({ path }: { path: ApiPath }): VNode {
  const answers = useRead(`unanswered ${String(path)}`, (signal) => readAnswers(path, signal));
  return (
    <Card
      title="Unanswered questions"
      name="unanswered"
      aside={<span class="muted">{answers.data && plural(answers.data.questions.length, 'question')}</span>}
    >
      <p class="hint">
        Searches of the last 200 calls without results, or with semantic matches only: check whether the passage is the
        answer. A retrieval test repeats the question after every change of the knowledge and fails until the chosen
        source is found.
      </p>
      <Loaded of={answers} what="the questions">
        {({ questions, sources }) => (
          <Rows
            items={questions}
            keyOf={({ question }) => question}
            row={(one) => <Question one={one} sources={sources} path={path} onTested={answers.again} />}
            empty={
              <Empty icon="check" title="No unanswered questions">
                <p>No search of the recent calls was without results.</p>
              </Empty>
            }
            class="rows"
            label="Unanswered questions"
          />
        )}
      </Loaded>
    </Card>
  );
}

async function readAnswers(path: ApiPath, signal: AbortSignal): Promise<Answers> {
  const read = ask<{ data: UnansweredQuestion[] }>('GET', apiPath`${path}/unanswered-questions`, { signal });
  const list = ask<ListOf<KnowledgeBase>>('GET', path, { query: { per_page: MAX_SOURCES }, signal });
  const [{ data: questions }, { data: sources }] = await Promise.all([read, list]);
  return { questions, sources };
}

interface QuestionParts {
  one: UnansweredQuestion;
  sources: readonly KnowledgeBase[];
  path: ApiPath;
  onTested: () => void;
}

function Question({ one, sources, path, onTested }: QuestionParts): VNode {
  const [first, ...others] = one.questions;
  const send = async (values: FormData): Promise<void> => {
    const source = textOf(values, 'expected_knowledge_base_id');
    const body = { questions: one.questions, expected_knowledge_base_id: source === '' ? null : Number(source) };
    await ask('POST', apiPath`${path}/tests`, { body });
    announce(`A retrieval test for “${one.question}” was created.`);
    onTested();
  };
  return (
    <div class="row question-row" data-question={one.question}>
      <strong>“{first}”</strong>
      {others.length > 0 && <p class="muted small">{others.map((other) => `“${other}”`).join(', ')}</p>}
      <p class="muted small">
        {plural(one.searches, 'search', 'searches')} · <Time iso={one.searched_at} /> ·{' '}
        <a href={`#/calls/${one.call_id}`}>Last call</a>
      </p>
      {one.nearest ? <OnePassage passage={one.nearest} query={first ?? ''} /> : <p class="muted small">No results.</p>}
      <Form
        scope="knowledge:write"
        label={`Create test for “${one.question}”`}
        submit="Create test"
        busy="Creating…"
        send={send}
        class="inline-form"
      >
        <Field name="expected_knowledge_base_id" label="Expected source">
          <Choice
            selected={one.nearest?.knowledge_base_id}
            options={[['', 'Select a source'], ...sources.map(({ id, title }) => [id, title] as const)]}
          />
        </Field>
      </Form>
    </div>
  );
}
