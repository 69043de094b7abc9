/** What the sample calls, and how it wants its answer. */
import { useId } from 'react';
import { Field } from '@/components/ui/field.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

interface SampleChoiceProps {
  models: readonly string[];
  model: string;
  onModel: (model: string) => void;
  streamed: boolean;
  onStreamed: (streamed: boolean) => void;
}

export function SampleChoice({ models, model, onModel, streamed, onStreamed }: SampleChoiceProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
      <Field id={id} label={t('token.model')}>
        <Select
          id={id}
          value={model}
          disabled={models.length === 0}
          onChange={(event) => onModel(event.target.value)}
        >
          {models.length === 0 && <option value="">{t('token.noModels')}</option>}
          {models.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      </Field>
      <div className="grid content-start gap-1.5">
        <span className="text-base font-medium">{t('token.answer')}</span>
        <Segmented
          label={t('token.answer')}
          value={streamed ? 'streamed' : 'once'}
          onChange={(answer) => onStreamed(answer === 'streamed')}
          options={[
            { value: 'streamed', label: t('token.streamed') },
            { value: 'once', label: t('token.atOnce') },
          ]}
        />
      </div>
    </div>
  );
}
