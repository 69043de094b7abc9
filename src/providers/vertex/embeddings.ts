/** Vertex's embeddings, which are predictions. */
import { tokensUsage } from '../../dialects/plain/embedding.ts';
import { vendorEmbeddings } from '../vendor-operation.ts';
import { count, list, object, present } from '../vendor-wire.ts';

export const vertexEmbeddings = vendorEmbeddings({
  writeRequest: ({ texts, dimensions, taskType, title }) => ({
    instances: texts.map((content) => present({ content, task_type: taskType, title })),
    ...(dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }),
  }),
  readReply({ predictions }) {
    if (!Array.isArray(predictions)) return null;
    const rows = list(predictions).map(({ embeddings }) => object(embeddings));
    const tokens = rows.reduce((sum, { statistics }) => sum + count(object(statistics).token_count), 0);
    return {
      vectors: rows.map(({ values }) => (Array.isArray(values) ? values.map(Number) : [])),
      usage: tokens > 0 ? tokensUsage(tokens) : null,
    };
  },
});
