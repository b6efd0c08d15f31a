module example.com/uris

go 1.18
