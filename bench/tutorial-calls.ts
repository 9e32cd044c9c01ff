import { newId } from '@app/common';
import {
  Body,
  type CanActivate,
  ClassSerializerInterceptor,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  NotFoundException,
  Param,
  ParseUUIDPipe,
  Post,
  Query,
  Req,
  SerializeOptions,
  UnauthorizedException,
  UnprocessableEntityException,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import { createHash } from 'node:crypto';
import { DataSource, Repository } from 'typeorm';
import { CallPageResource, CallResource, CreatedCallResource, NewCallDto, PageDto } from './tutorial-resources.js';
import { Agent, ApiToken, Call, CallEvent, PhoneNumber, WebhookDelivery, WebhookStream } from './tutorial-entities.js';

type Asked = Request & { accountId: number };

/** Reads the token from the database at every request. */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@InjectRepository(ApiToken) private readonly tokens: Repository<ApiToken>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Asked>();
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const tokenHash = createHash('sha256').update(token).digest();
    const found = await this.tokens.findOne({ where: { tokenHash }, relations: { account: true } });
    if (!found || found.revokedAt) throw new UnauthorizedException();
    request.accountId = found.account.id;
    return true;
  }
}

@Injectable()
export class TutorialCallsService {
  constructor(
    @InjectRepository(Call) private readonly calls: Repository<Call>,
    @InjectRepository(Agent) private readonly agents: Repository<Agent>,
    @InjectRepository(PhoneNumber) private readonly numbers: Repository<PhoneNumber>,
    private readonly dataSource: DataSource,
  ) {}

  async find(accountId: number, id: string): Promise<Call> {
    const where = { id, account: { id: accountId } };
    const call = await this.calls.findOne({ where, relations: { agent: true, number: true } });
    if (!call) throw new NotFoundException();
    return call;
  }

  page(accountId: number, page: number, perPage: number): Promise<[Call[], number]> {
    return this.calls.findAndCount({
      where: { account: { id: accountId } },
      relations: { agent: true, number: true },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: perPage,
      skip: (page - 1) * perPage,
    });
  }

  async create(accountId: number, dto: NewCallDto): Promise<Call> {
    const account = { id: accountId };
    const agent = await this.agents.findOne({ where: { id: dto.agent_id, account } });
    const number = await this.numbers.findOne({ where: { id: dto.number_id, account } });
    if (!agent?.active || !number?.active) throw new UnprocessableEntityException();
    return this.dataSource.transaction(async (manager) => {
      const call = await manager.save(Call, {
        id: newId(),
        account,
        agent,
        number,
        toNumber: dto.to_number,
        fromNumber: number.e164,
        agentName: agent.name,
        createdAt: new Date(),
        status: 'pending',
      });
      await manager.save(CallEvent, { callId: call.id, seq: 1, type: 'status', data: { status: 'pending' } });
      const webhook = agent.callStatusWebhook;
      if (!webhook) return call;
      const { url, method } = webhook;
      const nextAt = new Date();
      const stream = await manager.save(WebhookStream, { account, call, url, host: new URL(url).host, nextAt });
      const body = JSON.stringify({ type: 'call-status', event: 'initiated', data: { call_id: call.id } });
      const delivery = { id: newId(), stream, account, call, type: 'call-status', event: 'initiated', sequence: 1 };
      await manager.save(WebhookDelivery, { ...delivery, method, url, body });
      return call;
    });
  }
}

@Controller('api/v1/calls')
@UseGuards(TokenGuard)
@UseInterceptors(ClassSerializerInterceptor)
export class TutorialCallsController {
  constructor(private readonly calls: TutorialCallsService) {}

  @Get()
  @SerializeOptions({ type: CallPageResource, excludeExtraneousValues: true })
  async list(@Req() { accountId }: Asked, @Query() { page, per_page }: PageDto) {
    const [data, total] = await this.calls.page(accountId, page, per_page);
    return { data, meta: { current_page: page, per_page, total, last_page: Math.ceil(total / per_page) } };
  }

  @Get(':id')
  @SerializeOptions({ type: CallResource, excludeExtraneousValues: true })
  find(@Req() { accountId }: Asked, @Param('id', ParseUUIDPipe) id: string) {
    return this.calls.find(accountId, id);
  }

  @Post()
  @SerializeOptions({ type: CreatedCallResource, excludeExtraneousValues: true })
  create(@Req() { accountId }: Asked, @Body() dto: NewCallDto) {
    return this.calls.create(accountId, dto);
  }
}
