module pallas.helu.ca/test/probe

go 1.26.0
