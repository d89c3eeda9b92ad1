package pglog

// portuguese is PostgreSQL's pt_BR.po, of which recent versions translate little.
func portuguese() *language {
	return &language{
		name: "Portuguese",
		messages: []translation{
			{"duração: {#1} ms", "duration: {1} ms"},
			{"duração: {#1} ms  comando: {2}", "duration: {1} ms  statement: {2}"},
			{"duração: {#1} ms  análise {2}: {3}", "duration: {1} ms  parse {2}: {3}"},
			{"duração: {#1} ms  ligação {2}: {3}", "duration: {1} ms  bind {2}: {3}"},
			{"duração: {#1} ms  executar busca de {2}: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
			{"duração: {#1} ms  executar {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
			{"comando: {1}", "statement: {1}"},
			{"executar busca de {1}: {2}", "execute fetch from {1}: {2}"},
			{"executar {1}: {2}", "execute {1}: {2}"},
			{`arquivo temporário: caminho "{1}", tamanho {#2}`, `temporary file: path "{1}", size {2}`},
			{"processo {#1} ainda espera por {2} em {3} após {#4} ms", "process {1} still waiting for {2} on {3} after {4} ms"},
			{"processo {#1} obteve {2} em {3} após {#4} ms", "process {1} acquired {2} on {3} after {4} ms"},
			{"impasse detectado", "deadlock detected"},
			{`limpeza automática da tabela "{1}": buscas por índice: {#2}`, `automatic vacuum of table "{1}": index scans: {2}`},
			{"conexão recebida: {1}", "connection received: {1}"},
			{"conexão autorizada: usuário={1} banco de dados={2}", "connection authorized: user={1} database={2}"},
			{"desconexão: tempo da sessão: {1} usuário={2} banco de dados={3} máquina={4}", "disconnection: session time: {1} user={2} database={3} host={4}"},
			{`parâmetro "{1}" mudou para "{2}"`, `parameter "{1}" changed to "{2}"`},
			{"SIGHUP recebido, recarregando arquivos de configuração", "received SIGHUP, reloading configuration files"},
		},
		details: []translation{
			{"parâmetros: {1}", "parameters: {1}"},
			{"Parâmetros: {1}", "parameters: {1}"},
		},
		words: []string{" da ", " do ", " não ", "ção", "conexão", "processo", " foi ", " está ", " em "},
	}
}
