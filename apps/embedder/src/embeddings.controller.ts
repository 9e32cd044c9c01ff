import {
  embeddingsResponse,
  KIND_HEADER,
  modelsResponse,
  readEmbeddingsRequest,
} from '@app/knowledge/embedding-models';
import { Body, Controller, Get, Headers, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { EmbeddingModelService } from './embedding-model.service.js';

/** The part of OpenAI's API that this process serves. */
@Controller('v1')
export class EmbeddingsController {
  constructor(private readonly models: EmbeddingModelService) {}

  @Get('models')
  list(): object {
    return modelsResponse(this.models.current.model);
  }

  @Post('embeddings')
  @HttpCode(200)
  async embed(
    @Body() body: unknown,
    @Headers(KIND_HEADER) kindHeader: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const { model, queue } = this.models.current;
    const { texts, kind, base64 } = readEmbeddingsRequest(body, kindHeader, model);
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('The client has closed the connection.')));
    const vectors = await queue.vectors(texts, kind, gone.signal);
    return embeddingsResponse(vectors, { id: model.id, base64 });
  }
}
