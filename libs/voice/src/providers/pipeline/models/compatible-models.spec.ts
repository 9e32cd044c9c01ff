import { expect, it } from '@jest/globals';
import { mayThinkAloud } from './compatible-models.js';

it.each([
  ['api.openai.com', false],
  ['tea.openai.azure.com', false],
  ['api.groq.com', false],
  ['api.mistral.ai', false],
  ['api.deepseek.com', false],
  ['openrouter.ai', false],
  ['generativelanguage.googleapis.com', false],
  ['api.x.ai', false],
  ['127.0.0.1', true],
  ['models.example.com', true],
  ['notgroq.com', true],
  ['groq.com.example.org', true],
])('the first answer of a model on %s is buffered until it ends: %s', (hostname, isBuffered) => {
  expect(mayThinkAloud(hostname)).toBe(isBuffered);
});
