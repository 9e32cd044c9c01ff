import { CallEventsService } from '@app/calls';
import { InvalidFields, withCode } from '@app/common';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiProduces,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Scopes } from '../../auth/auth.decorators.js';
import { ApiErrors } from '../../http/responses/api-errors.js';
import { ApiCallId, CallId } from '../../http/validation/path-params.js';
import { CallEventPageDto, CallEventsQueryDto, MAX_EVENTS } from './call-events.dto.js';
import { CallStreamsService } from './call-streams.service.js';

const EVENT_STREAM = 'text/event-stream';
const STREAM_EXAMPLE = `retry: 2000

id: 3
event: status
data: {"seq":3,"type":"status","at":"2026-01-02T03:04:06.100+00:00","data":{"status":"in_progress"}}

id: 5
event: turn
data: {"seq":5,"type":"turn","at":"2026-01-02T03:04:08.000+00:00","data":{"at_ms":1900,"turn":1,"role":"agent","text":"Hello.","started_ms":20,"ended_ms":1880,"truncated":false}}
`;

const DESCRIPTION =
  'Returns the events of a call from its first to its last status: status changes, transcript turns, tool calls, key presses, transfers and hold. ' +
  'The default format is server-sent events: `id:` is the event number, `event:` the type, `data:` a `CallEvent`. Events are streamed within a ' +
  'second (the dialer writes the events of a conversation every 0.4 s, and the API polls four times a second). The stream sends a ' +
  'comment every 15 s and closes after the last event, a `status` with `hangup_cause`. The events of an ended call are replayed. ' +
  'After a disconnect, continue with `Last-Event-ID` or `after`; no event is lost or repeated. 204 means that the call has ended and no further events exist. ' +
  'With `words=true`, the stream also sends the words of a running turn as `turn_words` (`CallTurnWords`), without `id:`; they are not stored. ' +
  'An account can have 100 streams open at once. A client that does not read for 30 s is disconnected. ' +
  'With `Accept: application/json`, the response is a page of the same events for polling clients.';

@ApiTags('Calls')
@ApiExtraModels(CallEventPageDto)
@Controller('api/v1/calls/:callId/events')
export class CallEventsController {
  constructor(
    private readonly events: CallEventsService,
    private readonly streams: CallStreamsService,
  ) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'watchCall',
    summary: 'Watch a call',
    description: DESCRIPTION,
  })
  @ApiCallId()
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Number of the last received event. Later events are returned.',
    schema: { type: 'integer', minimum: 0 },
  })
  @ApiProduces(EVENT_STREAM, 'application/json')
  @ApiResponse({
    status: 200,
    description: 'The events.',
    content: {
      [EVENT_STREAM]: {
        schema: { type: 'string', description: 'Each `data:` is a `CallEvent`.' },
        example: STREAM_EXAMPLE,
      },
      'application/json': { schema: { $ref: getSchemaPath(CallEventPageDto) } },
    },
  })
  @ApiResponse({ status: 204, description: 'The call has ended and there are no further events.' })
  @ApiErrors(404, 422)
  async watch(
    @AccountId() accountId: number,
    @CallId() callId: string,
    @Query() query: CallEventsQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    response.vary('Accept');
    const after = lastEventId(request) ?? query.after ?? 0;
    if (request.accepts(EVENT_STREAM, 'application/json') === 'application/json') {
      response.json(await this.page({ accountId, callId }, after, query.per_page ?? MAX_EVENTS));
      return;
    }
    const { last, ended } = await this.events.state(accountId, callId);
    if (ended && after >= last) return void response.status(204).end();
    if (request.method === 'HEAD') return void response.type(EVENT_STREAM).end();
    if (!request.user) throw new Error('A stream was requested without a token.');
    this.streams.start(request.user, { callId, after, hasWords: query.words === 'true' }, response);
  }

  private async page(call: { accountId: number; callId: string }, after: number, limit: number) {
    const { events, nextAfter, complete } = await this.events.page(call, { after, limit });
    return { data: events, meta: { per_page: limit, next_after: nextAfter, complete } };
  }
}

/** Undefined without the header. Throws InvalidFields when it is not an event number. */
function lastEventId(request: Request): number | undefined {
  const text = request.get('last-event-id');
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidFields({
    'Last-Event-ID': [withCode('invalid_format', 'The Last-Event-ID header must be the number of an event.')],
  });
}
