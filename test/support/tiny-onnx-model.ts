import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A message of Protocol Buffers, built field by field. */
class Message {
  private readonly parts: Buffer[] = [];

  varint(field: number, value: number): this {
    this.parts.push(varintOf(field << 3), varintOf(value));
    return this;
  }

  bytes(field: number, value: Buffer | Message | string): this {
    const bytes = value instanceof Message ? value.build() : Buffer.from(value);
    this.parts.push(varintOf((field << 3) | 2), varintOf(bytes.length), bytes);
    return this;
  }

  build(): Buffer {
    return Buffer.concat(this.parts);
  }
}

function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

// Numbers of fields and types: onnx.proto of ONNX 1.x.
const [FLOAT, INT64] = [1, 7];

const tensorType = (type: number, dimensions: (string | number)[]): Message => {
  const shape = new Message();
  for (const one of dimensions)
    shape.bytes(1, typeof one === 'number' ? new Message().varint(1, one) : new Message().bytes(2, one));
  return new Message().bytes(1, new Message().varint(1, type).bytes(2, shape));
};
const value = (name: string, type: Message): Message => new Message().bytes(1, name).bytes(2, type);

/** A model that looks up a vector for each token: `last_hidden_state = table[input_ids]`. */
function lookUpModel(table: readonly (readonly number[])[]): Buffer {
  const dimensions = table[0]!.length;
  const tensor = new Message()
    .varint(1, table.length)
    .varint(1, dimensions)
    .varint(2, FLOAT)
    .bytes(8, 'table')
    .bytes(9, Buffer.from(Float32Array.from(table.flat()).buffer));
  const node = new Message().bytes(1, 'table').bytes(1, 'input_ids').bytes(2, 'last_hidden_state').bytes(4, 'Gather');
  const tokens = tensorType(INT64, ['batch', 'tokens']);
  const graph = new Message()
    .bytes(1, node)
    .bytes(2, 'look-up')
    .bytes(5, tensor)
    .bytes(11, value('input_ids', tokens))
    .bytes(11, value('attention_mask', tokens))
    .bytes(12, value('last_hidden_state', tensorType(FLOAT, ['batch', 'tokens', dimensions])));
  return new Message().varint(1, 8).bytes(7, graph).bytes(8, new Message().varint(2, 13)).build();
}

/** Words of one meaning share a vector; `query` and `passage` are what E5 models expect before a text, and mean nothing here. */
const MEANINGS = [
  ['money', 'refunds', 'geld'],
  ['pool', 'swim'],
  ['breakfast', 'morning'],
];
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];

/** Writes a sentence model of ten words with its tokenizer into a folder, as files of Hugging Face. */
export async function writeTinyModel(folder: string): Promise<void> {
  const words = MEANINGS.flat();
  const vocab = Object.fromEntries([...SPECIAL, ...words].map((word, id) => [word, id]));
  const none = Array.from({ length: 8 }, () => 0.01);
  const table = [...SPECIAL.map(() => none), ...words.map((word) => none.map((zero, i) => vectorAt(word, i) || zero))];
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx/model.onnx'), lookUpModel(table));
  const special = SPECIAL.map((content, id) => ({ id, content, special: true, normalized: false }));
  const files = {
    'config.json': { model_type: 'bert', hidden_size: 8 },
    'tokenizer_config.json': {
      tokenizer_class: 'BertTokenizer',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      model_max_length: 512,
    },
    'tokenizer.json': {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: special,
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab,
      },
    },
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
}

const vectorAt = (word: string, dimension: number): number =>
  MEANINGS.findIndex((meaning) => meaning.includes(word)) === dimension ? 1 : 0;
