import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DocumentEvents } from '../../support/document-events.js';
import { eventually } from '../../support/eventually.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { writeTinyModel } from '../../support/tiny-onnx-model.js';
import { createAccount } from '../../support/workspace.js';

const PACKAGES = resolve('test/vendor-clients/package.json');
const isInstalledForTests = (name: string): boolean => {
  try {
    createRequire(PACKAGES).resolve(name);
    return true;
  } catch {
    return false;
  }
};

suiteWith(['@huggingface/transformers'], isInstalledForTests)('EMBEDDINGS_MODEL_DIR', () => {
  let folder: string;
  let stack: Stack;
  let client: KnowledgeClient;
  let events: DocumentEvents;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trunkline-model-'));
    await writeTinyModel(folder);
    stack = await Stack.start({
      dialers: 0,
      embedder: true,
      env: {
        LOG_LEVEL: 'fatal',
        EMBEDDINGS_MODEL_DIR: folder,
        EMBEDDINGS_MODEL: 'tiny',
        NODE_OPTIONS: `--import ${pathToFileURL(resolve('test/support/vendor-packages.mjs')).href}`,
      },
    });
    client = new KnowledgeClient(stack, await createAccount(stack, { name: 'acme' }));
    events = await DocumentEvents.subscribe(stack.database.url);
  });
  afterAll(async () => {
    await events?.close();
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('runs an ONNX model of the operator, which finds passages in any language that it knows', async () => {
    const created = await Promise.all([
      client.file('a.md', 'Refunds: ask at the desk.'),
      client.file('b.md', 'Swim in summer.'),
    ]);
    await events.ended(created.map(({ id }) => id));
    // The vectors follow, in any order.
    await eventually(
      () => client.search('Geld?'),
      (passages) => passages[0]?.text.includes('Refunds') === true,
    );
    const models = (await (await fetch(`${stack.embedderUrl}/v1/models`)).json()) as object;
    expect(models).toMatchObject({ data: [{ id: 'tiny', dimensions: 8, languages: null }] });
  });
});
