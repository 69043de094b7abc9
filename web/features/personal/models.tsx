/** The models that one may call, to be found and copied. */
import { Search } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Input } from '@/components/ui/input.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SectionProps } from './personal.ts';

const FIRST = 10;

export function ModelsSection({ personal: { models } }: SectionProps) {
  const { t } = useTranslation();
  const [word, setWord] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  if (models.length === 0) return <p className="px-4 py-3 text-sm text-muted">{t('personal.noModels')}</p>;
  const found = models.filter((model) => model.toLowerCase().includes(word.trim().toLowerCase()));
  const shown = isWhole ? found : found.slice(0, FIRST);
  const left = found.length - shown.length;
  return (
    <div className="px-4 py-3">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        {models.length > FIRST && (
          <div className="relative min-w-0 flex-1 basis-52">
            <Search
              aria-hidden="true"
              className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
            />
            <Input
              type="search"
              aria-label={t('personal.findModel')}
              placeholder={t('personal.findModel')}
              value={word}
              autoComplete="off"
              spellCheck={false}
              className="pl-8"
              onChange={(event) => setWord(event.target.value)}
            />
          </div>
        )}
        <span role="status" className="text-xs text-muted">
          {t('personal.modelCount', { count: found.length })}
        </span>
        <CopyButton
          text={found.join(',')}
          label={t('personal.copyModels')}
          disabled={found.length === 0}
          className="ml-auto"
        />
      </div>
      {found.length === 0 && <p className="text-sm text-muted">{t('personal.noModelFound')}</p>}
      <ul aria-label={t('personal.models')} className="flex flex-wrap gap-2">
        {shown.map((model) => (
          <li
            key={model}
            className="flex min-w-0 items-center gap-0.5 rounded-sm border border-line bg-sunken pl-2 font-mono text-xs"
          >
            <span className="min-w-0 wrap-anywhere py-1">{model}</span>
            <CopyButton
              text={model}
              label={t('personal.copyModel', { model })}
              iconOnly
              variant="ghost"
              size="icon-sm"
              className="max-md:m-0! max-md:size-11"
            />
          </li>
        ))}
        {left > 0 && (
          <li>
            <Button size="sm" className="h-[26px] max-md:h-11" onClick={() => setIsWhole(true)}>
              {t('personal.moreModels', { count: left })}
            </Button>
          </li>
        )}
      </ul>
    </div>
  );
}
