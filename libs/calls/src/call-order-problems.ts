import { destinationRefusal, spendProblem } from '@app/accounts';
import type { AllowList, FieldErrors } from '@app/common';
import { type UrlRules, urlProblem } from '@app/egress';
import { headerErrors } from '@app/webhooks';
import type { CallOrder } from './call-order.js';
import type { CallReferences } from './call-references.js';
import { transferFor, type WebhookOverride } from './call-settings.js';
import { insideProblem } from './destination.js';
import { duplicatesIn } from './duplicate-destinations.js';

export interface CallRules {
  /** Destinations in one request. */
  maxDestinations: number;
  /** Private networks that SIP URIs may point to. */
  sipAllow: AllowList;
  webhookUrls: UrlRules;
}

/** Everything that is wrong with an order whose form is right, by field; empty when it can be placed. */
export function orderProblems(order: CallOrder, found: CallReferences, rules: CallRules): FieldErrors {
  const errors: FieldErrors = {};
  const add = (field: string, problem: string | undefined): void => {
    if (problem) (errors[field] ??= []).push(problem);
  };
  add('to_number', tooMany(order, rules) ?? spendProblem(found));
  const trunk = order.trunkId === undefined ? undefined : found;
  order.destinations.forEach((destination, index) => {
    const refusal = destinationRefusal(found, destination.address, trunk);
    add(`to_number.${index}`, refusal ?? insideProblem(destination, rules.sipAllow));
  });
  if (order.rejectDuplicates) {
    for (const [index, first] of duplicatesIn(order.destinations))
      add(`to_number.${index}`, `The destination is the same as that of to_number.${first}.`);
  }
  add('agent_id', selectionProblem('agent id', found.agent_active));
  add('number_id', selectionProblem('number id', found.number_active));
  if (order.trunkId !== undefined) add('trunk_id', selectionProblem('trunk id', found.trunk_active));
  addWebhook('post_call_webhook', order.overrides.postCallWebhook, rules, add);
  addWebhook('call_status_webhook', order.overrides.callStatusWebhook, rules, add);
  addTransfer(order, found, add);
  return errors;
}

type Add = (field: string, problem: string | undefined) => void;

function tooMany({ destinations }: CallOrder, { maxDestinations }: CallRules): string | undefined {
  if (destinations.length <= maxDestinations) return undefined;
  return `The to number field must not have more than ${maxDestinations} items.`;
}

/** `active`: null when the account has no such record. */
function selectionProblem(name: string, active: boolean | null): string | undefined {
  if (active === null) return `The selected ${name} is invalid.`;
  return active ? undefined : `The selected ${name} is not active.`;
}

function addWebhook(field: string, { url, headers }: WebhookOverride, rules: CallRules, add: Add): void {
  if (url !== undefined) add(`${field}_url`, urlProblem(url, rules.webhookUrls));
  for (const [path, problem] of headerErrors(`${field}_headers`, headers ?? [])) add(path, problem);
}

function addTransfer(order: CallOrder, found: CallReferences, add: Add): void {
  const { enabled, phoneNumber } = transferFor(found, order.overrides.transfer);
  if (order.overrides.transfer.callerIdNumberId !== undefined) {
    add('transfer_caller_id_number_id', selectionProblem('transfer caller id number id', found.caller_id_active));
  }
  if (!enabled) return;
  add(
    'transfer_phone_number',
    phoneNumber === undefined
      ? 'A transfer phone number is required when call transfer is enabled and the agent has none.'
      : destinationRefusal(found, phoneNumber),
  );
}
