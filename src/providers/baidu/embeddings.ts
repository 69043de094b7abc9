/** Wenxin's call for embeddings: OpenAI's answer to a list of texts; the model stands in the address. */
import { openaiEmbeddings } from '../../dialects/plain/openai-embeddings.ts';
import { vendorEmbeddings } from '../vendor-operation.ts';

export const baiduEmbeddings = vendorEmbeddings({
  writeRequest: ({ texts }) => ({ input: [...texts] }),
  readReply: openaiEmbeddings.embedding.readReply,
});
