/** The second step: what the site is for. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Radio } from '@/components/ui/checkbox.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { ApiError } from '@/lib/api-error.ts';
import { errorTone } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FORM_LOST, type SetupValues, setupErrors, setupFailure } from './rules.ts';

const RELOAD_MS = 1_500;

const modes = ['external', 'selfUse', 'demo'] as const;

type Mode = (typeof modes)[number];

interface ModeStepProps {
  admin: SetupValues;
  onBack: () => void;
  /** The token of the first step is none; with the server's words. */
  onRefused: (reason: string) => void;
}

export function ModeStep({ admin, onBack, onRefused }: ModeStepProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [mode, setMode] = useState<Mode>('external');
  const [done, setDone] = useState(false);
  const first = useRef<HTMLFieldSetElement>(null);
  useEffect(() => first.current?.querySelector('input')?.focus(), []);

  const setup = useAction(async () => {
    // The first step let nobody on with less: what is missing now was lost on the way.
    if (Object.values(setupErrors(admin, t)).some((error) => error !== undefined)) throw FORM_LOST;
    try {
      await api.send('POST', '/api/setup/', {
        body: {
          username: admin.username,
          password: admin.password,
          confirmPassword: admin.confirm,
          SelfUseModeEnabled: mode === 'selfUse',
          DemoSiteEnabled: mode === 'demo',
          setup_token: admin.token.trim(),
        },
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SETUP_TOKEN') return onRefused(error.message);
      throw error;
    }
    setDone(true);
    await new Promise((resolve) => setTimeout(resolve, RELOAD_MS));
    window.location.assign('/');
    await new Promise(() => {});
  });

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void setup.run();
      }}
    >
      <div role="alert">
        {setup.error !== null && (
          <Notice tone={errorTone(setup.error)} className="mb-5">
            {setupFailure(setup.error, t)}
          </Notice>
        )}
      </div>
      <fieldset ref={first} className="grid gap-2">
        <legend className="sr-only">{t('setup.mode')}</legend>
        {modes.map((one) => (
          <ModeChoice
            key={one}
            checked={mode === one}
            onChoose={() => setMode(one)}
            help={t(`setup.mode.${one}Help`)}
          >
            {t(`setup.mode.${one}`)}
          </ModeChoice>
        ))}
      </fieldset>
      <div role="status">
        {done && (
          <Notice tone="ok" className="mt-5">
            {t('setup.done')}
          </Notice>
        )}
      </div>
      <div className="mt-6 flex gap-2">
        <Button size="lg" onClick={onBack} disabled={setup.pending}>
          {t('setup.back')}
        </Button>
        <Button type="submit" variant="primary" size="lg" className="flex-1" busy={setup.pending}>
          {t(setup.pending ? 'setup.working' : 'setup.finish')}
        </Button>
      </div>
    </form>
  );
}

interface ModeChoiceProps {
  checked: boolean;
  onChoose: () => void;
  help: string;
  children: ReactNode;
}

function ModeChoice({ checked, onChoose, help, children }: ModeChoiceProps) {
  return (
    <label className="flex cursor-pointer items-start gap-3 rounded-md border border-line bg-surface px-4 py-3 has-checked:border-accent has-checked:bg-accent-soft">
      <Radio name="mode" className="mt-[3px]" checked={checked} onChange={onChoose} />
      <span>
        <span className="block font-medium">{children}</span>
        <span className="block text-xs text-muted">{help}</span>
      </span>
    </label>
  );
}
