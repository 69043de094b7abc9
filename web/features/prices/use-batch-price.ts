/** A price for many models at once, from typing to saving. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Cells, cellsOf, type Errors, type HubModel, NO_CELLS, readCells } from './draft.ts';
import type { Tiered } from './tiers.ts';

export type Kind = 'price' | 'ratio' | 'call';

const cellsFor = (kind: Kind, input: string, output: string): Cells => ({
  ...NO_CELLS,
  mode: kind === 'call' ? 'call' : 'tokens',
  input,
  output: kind === 'call' ? '' : output,
});

export type BatchPrice = ReturnType<typeof useBatchPrice>;

/** For the models that are `selected`; `onSaved` hears of it once they have it. */
export function useBatchPrice(selected: readonly string[], onSaved: () => void) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const [kind, setKind] = useState<Kind>('price');
  const [typed, setTyped] = useState({ input: '', output: '' });
  /** Of a model whose price was taken over and not changed since. */
  const [tiered, setTiered] = useState<Tiered | null>(null);
  const [errors, setErrors] = useState<Errors>({});
  const [saving, setSaving] = useState(false);

  const apply = async () => {
    if (saving) return;
    if (selected.length === 0) return notify({ tone: 'bad', text: t('prices.selectFirst') });
    const read = readCells(cellsFor(kind, typed.input, typed.output), kind === 'ratio' ? 'ratio' : 'price');
    const empty: Errors = kind !== 'call' && typed.output.trim() === '' ? { output: 'prices.notNumber' } : {};
    const wrong = { ...empty, ...(read.ok ? {} : read.errors) };
    setErrors(wrong);
    if (!read.ok || Object.keys(wrong).length > 0) return;
    const { cacheRatio: _cache, thinkingRatio: _thinking, ...price } = read.price;
    setSaving(true);
    try {
      await api.send('PUT', '/api/model_hub/admin/', {
        body: {
          update: selected.map((name) => (tiered ? { name, tiered } : { name, ...price })),
          delete: [],
        },
      });
      await router.invalidate({ sync: true });
      onSaved();
      notify({ tone: 'ok', text: t('setting.saved') });
    } catch (error) {
      notify(failureNotice(error, t, t('prices.notSaved', { reason: errorText(error, t) })));
    }
    setSaving(false);
  };

  return {
    kind,
    typed,
    tiered,
    errors,
    saving,
    apply,
    choose(next: Kind) {
      setKind(next);
      setTiered(null);
      setErrors({});
    },
    type(name: keyof typeof typed, text: string) {
      setTyped((old) => ({ ...old, [name]: text }));
      setTiered(null);
    },
    /** Types what another model costs. */
    follow(model: HubModel) {
      const { input, output } = cellsOf(model, 'price');
      setKind('price');
      setTyped({ input, output });
      setTiered(model.tiered);
      setErrors({});
    },
  };
}
