import {
  type CreateCallsCommand,
  type Destination,
  type ParsedDestination,
  parseDestination,
  type WebhookOverride,
} from '@app/calls';
import { destinationsOf } from './call-validators.js';
import type { CreateCallsDto, WebhookHeaderDto } from './create-calls.dto.js';

/** The command of a validated request; null means absent. */
export function toCreateCallsCommand(dto: CreateCallsDto, traceParent?: string): CreateCallsCommand {
  return {
    destinations: destinationsOf(dto).map(valid),
    rejectDuplicates: dto.reject_duplicates ?? false,
    agentId: dto.agent_id,
    numberId: dto.number_id,
    trunkId: dto.trunk_id ?? undefined,
    record: dto.record ?? true,
    metadata: dto.metadata ?? null,
    overrides: {
      postCallWebhook: webhookOf(
        dto.post_call_webhook_url,
        dto.post_call_webhook_method,
        dto.post_call_webhook_headers,
      ),
      callStatusWebhook: webhookOf(
        dto.call_status_webhook_url,
        dto.call_status_webhook_method,
        dto.call_status_webhook_headers,
      ),
      transfer: {
        enabled: dto.enable_call_transfer ?? undefined,
        phoneNumber: dto.transfer_phone_number ? valid(parseDestination(dto.transfer_phone_number)).address : undefined,
        callerIdNumberId: dto.transfer_caller_id_number_id ?? undefined,
      },
      anonymous: dto.anonymous ?? false,
    },
    traceParent,
  };
}

function valid(destination: ParsedDestination): Destination {
  if (destination.kind === 'wrong') throw new Error('A destination was not validated.');
  return destination;
}

const webhookOf = (
  url?: string | null,
  method?: string | null,
  headers?: WebhookHeaderDto[] | null,
): WebhookOverride => ({
  url: url ?? undefined,
  method: method ?? undefined,
  headers: headers?.map(({ key, value }) => ({ key, value })),
});
