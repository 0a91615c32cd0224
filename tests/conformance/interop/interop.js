// SPDX-License-Identifier: MIT
// Two implementations against each other, by the program names in the environment.
//   interop.js client <repository> <path> <directory>   tuf-js refreshes from a directory served here and downloads a target
//   interop.js serve <directory>                        serves a repository of @tufjs/repo-mock; its root goes to the directory,
//                                                       its URL to standard output
const fs = require('fs');
const http = require('http');
const path = require('path');

function listen(answer, then) {
  const server = http.createServer((request, response) => {
    const found = answer(decodeURIComponent(request.url));
    response.writeHead(found === undefined ? 404 : 200);
    response.end(found === undefined ? 'nothing here' : found);
  });
  server.listen(0, '127.0.0.1', () => then(server, `http://127.0.0.1:${server.address().port}`));
}

async function client(repository, target, directory) {
  const { Updater } = require('tuf-js');
  const read = (name) => {
    try {
      return fs.readFileSync(path.join(repository, name));
    } catch {
      return undefined;
    }
  };
  fs.copyFileSync(path.join(repository, 'metadata/1.root.json'), path.join(directory, 'root.json'));
  listen(read, async (server, url) => {
    try {
      const updater = new Updater({
        metadataDir: directory, metadataBaseUrl: `${url}/metadata`, targetDir: directory, targetBaseUrl: `${url}/targets`,
      });
      await updater.refresh();
      const info = await updater.getTargetInfo(target);
      if (!info) throw new Error(`no role has ${target}`);
      const file = await updater.downloadTarget(info, path.join(directory, 'artifact'));
      process.stdout.write(fs.readFileSync(file));
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
    server.close();
  });
}

function serve(directory) {
  const { initializeTUFRepo, tufHandlers } = require('@tufjs/repo-mock');
  const repository = initializeTUFRepo([{ name: 'dir/target.txt', content: 'from the other side' }]);
  const files = new Map(tufHandlers(repository, { metadataPathPrefix: '/metadata', targetPathPrefix: '/targets' })
    .map((handler) => [handler.path, handler]));
  fs.writeFileSync(path.join(directory, 'root.json'), JSON.stringify(repository.rootMeta.toJSON()));
  listen((name) => {
    const answer = files.get(name)?.fn();
    return answer?.statusCode === 200 ? answer.response : undefined;
  }, (server, url) => console.log(url));
}

const [verb, ...rest] = process.argv.slice(2);
if (verb === 'client') client(...rest);
if (verb === 'serve') serve(...rest);
