import { type ReactNode, useState } from 'react';
import { CodeBlock } from '@/components/code-block.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { appSamples } from './app-samples.ts';
import {
  anthropicNodeSample,
  anthropicPythonSample,
  geminiNodeSample,
  geminiPythonSample,
} from './client-samples.ts';
import { curlSample, environmentSample, nodeSample, pythonSample, type SampleInput } from './code-samples.ts';

type Language = 'python' | 'node';
type Samples = Record<Language, (sample: SampleInput) => string>;

/** The SDKs by name, each in both languages. */
const sdks: readonly { value: string; name: string; samples: Samples }[] = [
  { value: 'openai', name: 'OpenAI SDK', samples: { python: pythonSample, node: nodeSample } },
  {
    value: 'anthropic',
    name: 'Anthropic SDK',
    samples: { python: anthropicPythonSample, node: anthropicNodeSample },
  },
  { value: 'gemini', name: 'Gemini SDK', samples: { python: geminiPythonSample, node: geminiNodeSample } },
];

/** The same call in each way of making it. */
export function CodeTabs({ sample }: { sample: SampleInput }) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<Language>('python');
  const secret = sample.key !== null;
  const languages: ReactNode = (
    <Segmented<Language>
      small
      label={t('token.language')}
      value={language}
      onChange={setLanguage}
      className="-ml-1.5"
      options={[
        { value: 'python', label: 'Python' },
        { value: 'node', label: 'Node' },
      ]}
    />
  );
  return (
    <Tabs defaultValue="openai">
      <TabsList aria-label={t('token.client')} className="mb-4">
        <TabsTrigger value="curl">curl</TabsTrigger>
        {sdks.map(({ value, name }) => (
          <TabsTrigger key={value} value={value}>
            {name}
          </TabsTrigger>
        ))}
        <TabsTrigger value="apps">{t('token.apps')}</TabsTrigger>
        <TabsTrigger value="environment">{t('token.environment')}</TabsTrigger>
      </TabsList>
      <TabsContent value="curl">
        <CodeBlock code={curlSample(sample)} label="curl" head="Shell" secret={secret} />
      </TabsContent>
      {sdks.map(({ value, name, samples }) => (
        <TabsContent key={value} value={value}>
          <CodeBlock code={samples[language](sample)} label={name} secret={secret} head={languages} />
        </TabsContent>
      ))}
      <TabsContent value="apps">
        <AppCode sample={sample} />
      </TabsContent>
      <TabsContent value="environment">
        <CodeBlock
          code={environmentSample(sample)}
          label={t('token.environment')}
          head="Shell"
          secret={secret}
        />
      </TabsContent>
    </Tabs>
  );
}

/** Of one app, chosen from those that are known. */
function AppCode({ sample }: { sample: SampleInput }) {
  const { t } = useTranslation();
  const [first] = appSamples;
  const [name, setName] = useState(first?.name);
  const app = appSamples.find((one) => one.name === name) ?? first;
  if (!app) return null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Select aria-label={t('token.apps')} value={app.name} onChange={(event) => setName(event.target.value)}>
        {appSamples.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </Select>
      <CodeBlock code={app.text(sample)} label={app.name} head={app.head} secret={sample.key !== null} />
    </div>
  );
}
