import { describe, expect, it } from '@jest/globals';
import { Encryption } from '@app/common';
import { openHeaders, sealHeaders } from '@app/webhooks';
import { type AgentSettings, type CallOverrides, settingsFor } from './call-settings.js';

const encryption = new Encryption('a secret of the tests, long enough');
const bare: AgentSettings = {
  post_call_webhook: null,
  call_status_webhook: null,
  transfer_enabled: false,
  transfer_phone_number: null,
  transfer_caller_id_number_id: null,
  transfer_options: null,
};
const nothing: CallOverrides = { postCallWebhook: {}, callStatusWebhook: {}, transfer: {} };
const hook = (url: string, method = 'POST') => ({ url, method });
const sealed = sealHeaders(encryption, [{ key: 'X-Team', value: 'agent' }]);

describe('webhooks of a call', () => {
  it.each([
    ['neither agent nor request has a webhook', null, {}, undefined],
    ["the agent's", hook('https://agent', 'PUT'), {}, hook('https://agent', 'PUT')],
    ["the request's, with POST as the default method", null, { url: 'https://call' }, hook('https://call')],
    [
      "another URL, the agent's method",
      hook('https://agent', 'PUT'),
      { url: 'https://call' },
      hook('https://call', 'PUT'),
    ],
    ["another method, the agent's URL", hook('https://agent'), { method: 'PATCH' }, hook('https://agent', 'PATCH')],
    ['a method without any URL', null, { method: 'PATCH' }, undefined],
  ])('%s', (_name, agent, override, expected) => {
    const settings = settingsFor(
      { ...bare, post_call_webhook: agent },
      { ...nothing, postCallWebhook: override },
      encryption,
    );
    expect(settings.post_call_webhook).toEqual(expected);
    expect(settings.call_status_webhook).toBeUndefined();
  });

  it.each([
    ["the agent's", undefined, [{ key: 'X-Team', value: 'agent' }]],
    ["the request's instead", [{ key: 'X-Team', value: 'call' }], [{ key: 'X-Team', value: 'call' }]],
    ['none, by an empty list', [], []],
  ])('headers: %s', (_name, headers, expected) => {
    const agent = { ...hook('https://agent'), headers_sealed: sealed };
    const overrides = { ...nothing, callStatusWebhook: { headers } };
    const stored = settingsFor({ ...bare, call_status_webhook: agent }, overrides, encryption).call_status_webhook;
    expect(openHeaders(encryption, stored?.headers_sealed)).toEqual(expected);
  });
});

describe("an agent's webhook headers", () => {
  const agent = { url: 'https://agent.example/hook', method: 'POST', headers_sealed: sealed };
  const settings: AgentSettings = { ...bare, post_call_webhook: agent, call_status_webhook: agent };

  it.each([
    ['another path', 'https://agent.example/other?call=7', sealed],
    ['the written-out port', 'https://agent.example:443/hook', sealed],
    ['another host', 'https://call.example/hook', undefined],
    ['another port', 'https://agent.example:8443/hook', undefined],
    ['another scheme', 'http://agent.example/hook', undefined],
    ['a host that contains it', 'https://agent.example.call.example/hook', undefined],
  ])("are sent only to their own origin when a call's URL has %s", (_name, url, expected) => {
    const { post_call_webhook, call_status_webhook } = settingsFor(
      settings,
      { ...nothing, postCallWebhook: { url }, callStatusWebhook: { url } },
      encryption,
    );
    for (const stored of [post_call_webhook, call_status_webhook]) {
      expect(stored).toMatchObject({ url });
      expect(stored?.headers_sealed).toBe(expected);
    }
  });
});

describe('the number that a call shows', () => {
  it.each([
    [undefined, {}],
    [false, {}],
    [true, { anonymous: true }],
  ])('anonymous: %s', (anonymous, expected) => {
    expect(settingsFor(bare, { ...nothing, ...(anonymous !== undefined && { anonymous }) }, encryption)).toEqual(
      expected,
    );
  });
});

describe('transfer of a call', () => {
  const able: AgentSettings = {
    ...bare,
    transfer_enabled: true,
    transfer_phone_number: '+15550002222',
    transfer_caller_id_number_id: 7,
  };

  it.each([
    ["the agent's", able, {}, { phone_number: '+15550002222', caller_id_number_id: 7 }],
    ['switched off', able, { enabled: false }, undefined],
    ['another number', able, { phoneNumber: '+15550003333' }, { phone_number: '+15550003333', caller_id_number_id: 7 }],
    ['another caller id', able, { callerIdNumberId: 9 }, { phone_number: '+15550002222', caller_id_number_id: 9 }],
    ['switched on', bare, { enabled: true, phoneNumber: '+15550003333' }, { phone_number: '+15550003333' }],
    ['switched on without a number to transfer to', bare, { enabled: true }, undefined],
    ['a number alone does not enable it', bare, { phoneNumber: '+15550003333' }, undefined],
  ])('%s', (_name, agent, transfer, expected) => {
    expect(settingsFor(agent, { ...nothing, transfer }, encryption).transfer).toEqual(expected);
  });
});
