/** Zhipu's moderations, which look at one thing a call (docs.bigmodel.cn, the page of its content safety). */
import { fail } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { objectsOf, textOf } from '../dialects/fields.ts';
import { finishJson, type VendorOperation } from './vendor-operation.ts';

/** A text by itself; a medium stands in an object. */
const bare = (item: Json | undefined): Json | undefined =>
  isObject(item) && item.type === 'text' ? textOf(item.text) : item;

function writeInput({ input, ...rest }: JsonObject): JsonObject {
  const items = Array.isArray(input) ? input : [input];
  if (items.length > 1) {
    throw fail('invalid_request', {
      field: 'input',
      params: { reason: { zh: '此渠道一次只审核一项内容', en: 'this upstream looks at one input a call' } },
    });
  }
  const [item = ''] = items;
  return { ...rest, input: bare(item) ?? '' };
}

/** Whatever it does not pass, for sure or to be looked at again, is flagged. */
const resultOf = ({ risk_level: level, risk_type: types }: JsonObject): JsonObject => ({
  flagged: level !== 'PASS',
  categories: Object.fromEntries(
    (Array.isArray(types) ? types : []).flatMap((type) => (typeof type === 'string' ? [[type, true]] : [])),
  ),
  category_scores: {},
});

export const zhipuModerations = (path: string): VendorOperation => ({
  path: () => path,
  write: writeInput,
  finish: finishJson((body, { model }) => {
    const { id, result_list: list } = body;
    if (!Array.isArray(list)) return body;
    return { id: id ?? '', model, results: objectsOf(list).map(resultOf) };
  }),
});
