/** Shows how a program uses a token, and proves it with one call. */
import { getRouteApi } from '@tanstack/react-router';
import { Code, Play, Square } from 'lucide-react';
import { useId, useState } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { CopyField } from '@/components/copy-field.tsx';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { revealKey } from '@/features/token/calls.ts';
import { baseUrl, curlSample, KEY_VARIABLE } from '@/features/token/code-samples.ts';
import { CodeTabs } from '@/features/token/code-tabs.tsx';
import { modelsOf, type Token } from '@/features/token/token.ts';
import { TryOutcome, useTry } from '@/features/token/try-it.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token/code/$id');

const DOTS = '•'.repeat(24);

/** The token's own models first; a token without limits may call what its account may. */
const callable = (token: Token, models: readonly string[]): readonly string[] =>
  modelsOf(token)?.filter((model) => models.includes(model)) ?? models;

export function TokenCodeDrawer() {
  const { t } = useTranslation();
  const { token, models } = route.useLoaderData();
  const { origin, keysShownOnce } = useBoot();
  const api = useApi();
  const close = useCloseDrawer();
  const modelId = useId();
  const choices = callable(token, models);
  const [model, setModel] = useState(choices[0] ?? '');
  const [answer, setAnswer] = useState<'streamed' | 'once'>('streamed');
  const [key, setKey] = useState<string | null>(null);
  const insertKey = useAction(async () => setKey(await revealKey(api, token.id)));
  const copyFailed = useAction(async (error: unknown) => Promise.reject(error));
  const attempt = useTry();
  const sample = { origin, model: model || 'gpt-4o', streamed: answer === 'streamed', key };
  const failure = insertKey.error ?? copyFailed.error;

  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t('token.codeTitle')} sub={<Summary token={token} />} />
        <DrawerBody data-form className="group/form" aria-label={t('token.codeTitle')}>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
            <CopyField label={t('token.baseUrl')} value={baseUrl(origin)} />
            <CopyField
              label={t('token.key')}
              value={`sk-${token.key.replace('…', DOTS)}`}
              copy={keysShownOnce ? null : () => revealKey(api, token.id)}
              onError={(error) => void copyFailed.run(error)}
              help={
                keysShownOnce
                  ? t('token.keyHidden')
                  : key === null && t('token.keyHelp', { variable: KEY_VARIABLE })
              }
              end={
                !keysShownOnce && (
                  <LinkButton onClick={() => (key === null ? void insertKey.run() : setKey(null))}>
                    {t(key === null ? 'token.insertKey' : 'token.removeKey')}
                  </LinkButton>
                )
              }
            />
            <div role="alert" className="empty:hidden">
              {failure !== null && <Notice tone={errorTone(failure)}>{errorText(failure, t)}</Notice>}
            </div>
            {key !== null && <Notice tone="warn">{t('token.keyInserted')}</Notice>}
            <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
              <Field id={modelId} label={t('token.model')}>
                <Select
                  id={modelId}
                  value={model}
                  disabled={choices.length === 0}
                  onChange={(event) => setModel(event.target.value)}
                >
                  {choices.length === 0 && <option value="">{t('token.noModels')}</option>}
                  {choices.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </Select>
              </Field>
              <div className="grid content-start gap-1.5">
                <span className="text-base font-medium">{t('token.answer')}</span>
                <Segmented
                  label={t('token.answer')}
                  value={answer}
                  onChange={setAnswer}
                  options={[
                    { value: 'streamed', label: t('token.streamed') },
                    { value: 'once', label: t('token.atOnce') },
                  ]}
                />
              </div>
            </div>
            <CodeTabs sample={sample} />
            <TryOutcome attempt={attempt} />
          </div>
        </DrawerBody>
        <DrawerFoot>
          <Button size="lg" className="max-md:hidden" onClick={close}>
            {t('app.close')}
          </Button>
          <span className="ml-auto flex gap-2 max-md:flex-1 max-md:*:flex-1">
            <CopyButton size="lg" text={curlSample(sample)} label={t('token.copyAsCurl')} icon={Code} />
            {attempt.pending ? (
              <Button size="lg" onClick={attempt.stop}>
                <Square aria-hidden="true" />
                {t('token.stop')}
              </Button>
            ) : (
              <Button
                size="lg"
                variant="primary"
                disabled={model === '' || keysShownOnce}
                onClick={() =>
                  void attempt.run({
                    key: key ?? (() => revealKey(api, token.id)),
                    model,
                    streamed: answer === 'streamed',
                  })
                }
              >
                <Play aria-hidden="true" />
                {t('token.tryIt')}
              </Button>
            )}
          </span>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}

function Summary({ token }: { token: Token }) {
  const { t } = useTranslation();
  const models = modelsOf(token);
  return t('token.codeSub', {
    name: token.name,
    group: token.group || t('token.ownGroup'),
    models: models ? t('token.codeModels', { count: models.length }) : t('token.codeAllModels'),
  });
}
